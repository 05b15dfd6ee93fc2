// Removes Unix sockets that a killed process left behind, which would prevent the next process from listening.
import { lstatSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';

/** Removes `path` when it is a socket that nothing listens on. */
export async function removeDeadSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  if (!(await isAlive(path))) unlinkSync(path);
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}
