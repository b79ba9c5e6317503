/** Errors of the contract: problem documents as RFC 9457 describes them. */

const KINDS = {
  'malformed-json': [400, 'The body is not JSON'],
  'invalid-parameter': [400, 'A parameter is not valid'],
  'invalid-event': [422, 'The body is not what the contract asks for'],
  'not-found': [404, 'There is nothing here'],
  'method-not-allowed': [405, 'The method is not allowed here'],
  'body-too-large': [413, 'The body is too large'],
  'unsupported-media-type': [415, 'The body must be application/json'],
  'request-timeout': [408, 'The request did not come in time'],
  storage: [503, 'The store refused'],
  overloaded: [503, 'The server holds as much as it may'],
  internal: [500, 'The server failed'],
} as const;

export type ProblemKind = keyof typeof KINDS;

export class Problem extends Error {
  readonly kind: ProblemKind;
  /** JSON Pointer to the part of the body that is not valid. */
  readonly pointer: string | undefined;

  constructor(kind: ProblemKind, detail: string, pointer?: string) {
    super(detail);
    this.kind = kind;
    this.pointer = pointer;
  }

  get status(): number {
    return KINDS[this.kind][0];
  }

  /** @returns the document as JSON */
  document(): string {
    const [status, title] = KINDS[this.kind];
    return JSON.stringify({
      type: `urn:ingest:problem:${this.kind}`,
      title,
      status,
      detail: this.message,
      pointer: this.pointer,
    });
  }
}

/** @returns the problem that a client is told of, whatever was thrown */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const { code } = error as { code?: unknown };
  return new Problem(code === 'ERR_SQLITE_ERROR' ? 'storage' : 'internal', detail);
}
