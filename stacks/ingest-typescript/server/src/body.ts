import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Share } from './memory.js';
import { Problem } from './problem.js';

const JSON_TYPE = /^application\/json[\t ]*(;|$)/i;

/** @throws {Problem} unsupported-media-type */
function demandJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (type !== 'application/json' && !JSON_TYPE.test(type ?? ''))
    throw new Problem('unsupported-media-type', `the content type is ${type ?? 'not given'}`);
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new Problem('unsupported-media-type', `the content coding is ${coding}`);
}

/** @throws {Problem} malformed-json */
function parse(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Problem('malformed-json', 'the body is not UTF-8');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new Problem('malformed-json', (error as Error).message);
  }
}

/**
 * Reads and parses a body. What comes after its limit is thrown away.
 * @param share takes its bytes; given back here only where the client leaves before the end
 * @param then gets the value, or the problem
 */
export function readJson(
  request: IncomingMessage,
  limitBytes: number,
  share: Share,
  then: (problem: unknown, value?: unknown) => void,
): void {
  const tooLarge = new Problem('body-too-large', `the limit is ${limitBytes} bytes`);
  try {
    demandJson(request);
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge;
  } catch (problem) {
    then(problem);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge;
    share.grow(chunk.length);
    chunks.push(chunk);
  };
  request.on('data', (chunk: Buffer) => {
    try {
      take(chunk);
    } catch (problem) {
      request.removeAllListeners('data').removeAllListeners('end');
      chunks.length = 0;
      then(problem);
    }
  });
  request.once('close', () => {
    if (!request.complete) share.release();
  });
  request.on('end', () => {
    let value: unknown;
    try {
      value = parse(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes));
    } catch (problem) {
      then(problem);
      return;
    }
    then(null, value);
  });
}
