/** WebSocket (RFC 6455) for servers of tests: whole text messages, no extensions. */
import { createHash } from 'node:crypto';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * Takes over a connection that asked for an upgrade.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:stream').Duplex} socket
 * @param {(text: string) => void} take
 * @returns {(text: string) => void} sends
 */
export function webSocketOf(request, socket, take) {
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
  const protocol = request.headers['sec-websocket-protocol'];
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n${protocol ? `Sec-WebSocket-Protocol: ${protocol}\r\n` : ''}\r\n`,
  );
  let rest = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (data) => {
    rest = Buffer.concat([rest, data]);
    for (let frame = frameIn(rest); frame; frame = frameIn(rest)) {
      rest = rest.subarray(frame.end);
      if (frame.opcode === 8) socket.end();
      else if (frame.opcode === 1) take(frame.text);
    }
  });
  return (text) => socket.write(frameOf(text));
}

/** @param {string} text @returns {Buffer} */
function frameOf(text) {
  const body = Buffer.from(text);
  const head = Buffer.alloc(body.length < 126 ? 2 : 4);
  head[0] = 0x81;
  head[1] = Math.min(body.length, 126);
  if (body.length >= 126) head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}

/**
 * @param {Buffer} bytes from the beginning of a frame of a client on, which is masked
 * @returns {{opcode: number, text: string, end: number} | null} null where it is not whole
 */
function frameIn(bytes) {
  if (bytes.length < 4) return null;
  const short = bytes[1] & 0x7f;
  const at = short === 126 ? 4 : 2;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const end = at + 4 + length;
  if (bytes.length < end) return null;
  const body = Buffer.from(bytes.subarray(at + 4, end));
  for (let i = 0; i < body.length; i++) body[i] ^= bytes[at + (i & 3)];
  return { opcode: bytes[0] & 0x0f, text: body.toString(), end };
}
