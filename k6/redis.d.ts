/** What the stacks use of the Redis module that is compiled into our k6. */
declare module 'k6/x/redis' {
  export class Client {
    constructor(options: string | Record<string, unknown>);
    sendCommand(command: string, ...args: (string | number)[]): Promise<unknown>;
    get(key: string): Promise<string>;
    set(key: string, value: string, expirationSec: number): Promise<string>;
    del(...keys: string[]): Promise<number>;
    incr(key: string): Promise<number>;
    mget(...keys: string[]): Promise<(string | null)[]>;
  }
  const redis: { Client: typeof Client };
  export default redis;
}
