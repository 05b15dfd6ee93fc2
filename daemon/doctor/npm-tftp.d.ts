// The parts of the npm package tftp that the doctor, tests and benchmarks use.
declare module 'tftp' {
  interface GetStream {
    on(event: 'data', listener: (chunk: Uint8Array) => void): this;
    once(event: 'end', listener: () => void): this;
    once(event: 'error', listener: (error: Error) => void): this;
  }

  export function createServer(options: {
    readonly host: string;
    readonly port: number;
    readonly root: string;
    readonly denyPUT: boolean;
  }): { listen(): void; on(event: 'error' | 'listening', listener: (error?: Error) => void): void };

  export function createClient(options: {
    readonly host: string;
    readonly port: number;
    readonly blockSize?: number;
    readonly windowSize?: number;
    /** Milliseconds until a packet is sent again. */
    readonly timeout?: number;
    readonly retries?: number;
  }): {
    get(remote: string, local: string, done: (error?: Error) => void): void;
    createGetStream(remote: string): GetStream;
  };
}
