// Servers that benches run in a network space.
import type { NetworkSpace } from '../../fakes/boot/network-space.ts';

export interface MeasuredServer {
  readonly name: string;
  /** Starts the server; the returned function ends it. */
  start(lab: NetworkSpace, folder: string): Promise<() => Promise<void>>;
}

/** Resolves once the program has written the word, with what ends the program. Rejects with its output if it ends before. */
export async function serverInLab(
  lab: NetworkSpace,
  command: readonly string[],
  word: string,
): Promise<() => Promise<void>> {
  const child = lab.spawn(...command);
  child.stdout.resume();
  const ready = Promise.withResolvers<void>();
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < 100_000) said += chunk.toString();
    if (said.includes(word)) ready.resolve();
  });
  child.once('close', () => ready.reject(new Error(`${command.join(' ')}: ${said}`)));
  await ready.promise;
  return async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  };
}
