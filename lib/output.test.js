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

test('without a terminal what would be redrawn is told every 10 s, unless something else is said', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const { written, ...streams } = capture({ isTTY: false });
  const output = createOutput({ ...streams, env: {} });
  for (let sec = 1; sec <= 60; sec++) {
    t.mock.timers.tick(1000);
    output.draw(`${sec} s`);
    if (sec === 35) output.say('ended');
  }
  assert.equal(written.err, '10 s\n20 s\n30 s\nended\n45 s\n55 s\n');
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

test('a reader that goes away is no fault: nothing is thrown, and nothing more is written to it', () => {
  for (const code of ['EPIPE', 'EIO']) {
    const { written, ...streams } = capture({ isTTY: false });
    const before = process.exitCode;
    const output = createOutput({ ...streams, env: {} });
    const gone = Object.assign(new Error(`write ${code}`), { code });
    streams.stdout.emit('error', gone);
    streams.stderr.emit('error', gone);
    output.say('talk');
    output.result('result\n');
    assert.deepEqual(written, { out: '', err: '' });
    assert.equal(process.exitCode, before);
  }
});

test('a full disk under stdout is reported once and by the exit code', (t) => {
  const before = process.exitCode;
  t.after(() => {
    process.exitCode = before;
  });
  const { written, ...streams } = capture({ isTTY: false });
  const output = createOutput({ ...streams, env: {} });
  for (let i = 0; i < 2; i++) {
    streams.stdout.emit('error', Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }));
  }
  output.result('result\n');
  assert.deepEqual(written, {
    out: '',
    err: 'error: cannot write to stdout: no space left on the device\n',
  });
  assert.equal(process.exitCode, 2);
});
