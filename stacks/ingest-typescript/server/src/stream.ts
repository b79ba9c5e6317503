import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { eventJson, type StoredRow } from './event.js';
import { STREAM_COMMENT_MS, STREAM_UNSENT_BYTES } from './limits.js';
import type { Memory } from './memory.js';
import type { Reader } from './reader.js';

/** Read from the store at a time. */
const PAGE_CHARACTERS = 262_144;
export const STREAM_HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };

function frame(sequence: number, json: string): string {
  return `id: ${sequence}\ndata: ${json}\n\n`;
}

/** The clients of GET /api/stream. What a client has not read is bounded: above the bound it is disconnected. */
export class Stream {
  readonly #reader: Reader;
  readonly #memory: Memory;
  readonly #live = new Set<ServerResponse>();
  readonly #all = new Set<ServerResponse>();
  readonly #timer: NodeJS.Timeout;

  constructor(reader: Reader, memory: Memory) {
    this.#reader = reader;
    this.#memory = memory;
    this.#timer = setInterval(() => this.#send(': still here\n\n'), STREAM_COMMENT_MS).unref();
  }

  /** Whether stored rows need to be published. */
  get wanted(): boolean {
    return this.#live.size > 0;
  }

  /** @param after sequence whose successors come first; without it the stream begins with the next event */
  join(response: ServerResponse, after: number | undefined): void {
    this.#all.add(response);
    response.once('close', () => {
      this.#all.delete(response);
      this.#live.delete(response);
    });
    response.writeHead(200, STREAM_HEADERS);
    response.flushHeaders();
    if (after === undefined) this.#live.add(response);
    // A store that fails, or no memory left: the stream ends, and the client comes back.
    else this.#catchUp(response, after).catch(() => response.destroy());
  }

  /**
   * Sends what is stored, at the pace of the client. The last, short page and joining the live clients happen in one
   * turn of the event loop, in which nothing is stored: there is no gap.
   */
  async #catchUp(response: ServerResponse, after: number): Promise<void> {
    let position: number | undefined = after;
    while (position !== undefined && !response.destroyed) {
      const { text, last }: { text: string; last: number | undefined } = this.#page(position);
      position = last;
      const ready = text === '' || this.#write(response, text);
      if (position === undefined) this.#live.add(response);
      else if (!ready) await Promise.race([once(response, 'drain'), once(response, 'close')]).catch(() => {});
    }
  }

  /**
   * @returns whether the client keeps up
   * @throws {Problem} overloaded
   */
  #write(response: ServerResponse, text: string): boolean {
    const share = this.#memory.share();
    try {
      share.grow(text.length);
    } catch (problem) {
      share.release();
      throw problem;
    }
    return response.write(text, share.release);
  }

  /** @returns messages after a sequence; `last` is that of the last one where others may follow */
  #page(after: number): { text: string; last: number | undefined } {
    let text = '';
    for (const { sequence, json } of this.#reader.after(after)) {
      text += frame(sequence, json);
      if (text.length >= PAGE_CHARACTERS) return { text, last: sequence };
    }
    return { text, last: undefined };
  }

  /** @param rows in the order of their sequence */
  publish(rows: StoredRow[]): void {
    this.#send(rows.map((row) => frame(row.sequence, eventJson(row, row.sequence))).join(''));
  }

  #send(text: string): void {
    if (this.#live.size === 0) return;
    const bytes = Buffer.from(text);
    for (const response of this.#live) {
      response.write(bytes);
      if (response.writableLength > STREAM_UNSENT_BYTES) {
        this.#live.delete(response);
        response.destroy();
      }
    }
  }

  /** Ends every stream. */
  close(): void {
    clearInterval(this.#timer);
    for (const response of this.#all) response.end();
  }
}
