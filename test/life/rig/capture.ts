// What goes over the network between machines, BMCs and the daemon, as tcpdump records it: all but the files that the daemon's boot
// server sends. A machine's own interface to its BMC, which the rig has on 127.0.0.1, is no network.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const RECORDED = 'not host 127.0.0.1 and not tcp src port 8080';

export interface Capture extends AsyncDisposable {
  /** Ends the recording, and returns all bytes of all packets. */
  end(): Promise<Buffer>;
}

/** Resolves when tcpdump records into `file`. */
export async function startCapture(file: string): Promise<Capture> {
  const options = ['--immediate-mode', '-U', '-s', '0', '-B', '65536', '-Z', 'root'];
  const words = ['-i', 'any', ...options, '-w', file, RECORDED];
  const child = spawn('tcpdump', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGINT');
    await exited;
  };
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('listening on')) break;
  child.stderr.resume();
  return {
    async end() {
      await stop();
      return readFileSync(file);
    },
    [Symbol.asyncDispose]: stop,
  };
}
