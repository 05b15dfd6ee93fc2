// The parts of the npm package tftp that tests and benchmarks use.
declare module 'tftp' {
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
  }): { get(remote: string, local: string, done: (error?: Error) => void): void };
}
