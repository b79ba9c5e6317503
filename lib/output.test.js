import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createOutput } from './output.js';

/** @param {{isTTY: boolean}} kind */
function capture({ isTTY }) {
  const written = { out: '', err: '' };
  const to = (/** @type {'out' | 'err'} */ key) =>
    new Writable({
      write(chunk, _encoding, done) {
        written[key] += chunk;
        done();
      },
    });
  const stderr = Object.assign(to('err'), { isTTY, columns: 40 });
  return { written, stdout: to('out'), stderr };
}

test('results go to stdout, talk goes to stderr', () => {
  const { written, ...streams } = capture({ isTTY: false });
  const output = createOutput({ ...streams, env: {} });
  output.say('talk');
  output.result('result\n');
  assert.deepEqual(written, { out: 'result\n', err: 'talk\n' });
});

test('without a terminal nothing is redrawn and nothing is coloured', () => {
  const { written, ...streams } = capture({ isTTY: false });
  const output = createOutput({ ...streams, env: {} });
  output.draw('running');
  output.say(output.paint('red', 'failed'));
  assert.equal(written.err, 'failed\n');
});

test('on a terminal a line is drawn over, cut to its width, and gone before the next line', () => {
  const { written, ...streams } = capture({ isTTY: true });
  const output = createOutput({ ...streams, env: {} });
  output.draw('x'.repeat(100));
  output.say(output.paint('green', 'ok'));
  assert.equal(written.err, `${'x'.repeat(39)}\r\u001b[2K\u001b[32mok\u001b[0m\n`);
});

test('NO_COLOR and a dumb terminal are obeyed', () => {
  const plain = capture({ isTTY: true });
  assert.equal(createOutput({ ...plain, env: { NO_COLOR: '1' } }).paint('red', 'x'), 'x');
  const dumb = createOutput({ ...plain, env: { TERM: 'dumb' } });
  assert.equal(dumb.redraws, false);
  assert.equal(dumb.paint('red', 'x'), 'x');
});
