// Keeps a second process from doing what one is doing already.
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Resolves with a lock, which the kernel ends with the process at the latest. Rejects with an Error with the message `taken` when
 * another process has it. `what`: names what is done, and where.
 */
export async function onlyOne(what: string, taken: string): Promise<Disposable> {
  const lock = createServer();
  // a name longer than 107 bytes would be cut
  const name = `\0ironic-edge-${createHash('sha256').update(what).digest('hex')}`;
  await new Promise<void>((resolve, reject) => {
    lock.once('error', () => reject(new Error(taken)));
    lock.listen(name, resolve);
  });
  lock.unref();
  return { [Symbol.dispose]: () => void lock.close() };
}
