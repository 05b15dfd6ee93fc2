// Sends a part of an open file as the body of an answer.
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import type { ByteRange } from './byte-range.ts';
import type { OpenFile } from './open-content.ts';

/**
 * The largest piece that keeps the copy in the processor's cache; larger and smaller pieces were measured to be slower.
 */
const PIECE_BYTES = 512 * 1024;
/** A client that takes less than a piece in this time, some 9 KB/s, is disconnected. */
const PIECE_MILLISECONDS = 60_000;
/** Buffers kept for later transfers. */
const KEPT_BUFFERS = 16;

/**
 * Sends the part. Resolves with the number of bytes handed to the connection. If the connection ends early, this is less than the
 * length of the part. Rejects before it sends the last piece if the file has been written to, so that the client never takes a
 * mixture of two versions for a complete file.
 */
export type SendFile = (response: ServerResponse, file: OpenFile, part: ByteRange) => Promise<number>;

/** Sends one piece at a time: what is not sent yet stays in the file instead of in memory. */
export function createSendFile(clock: Clock): SendFile {
  const free: Buffer[] = [];
  return async (response, file, { start, end }) => {
    const buffer = free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
    let position = start;
    while (position < end) {
      const { bytesRead } = await file.handle.read(
        buffer,
        0,
        Math.min(PIECE_BYTES, end - position),
        position,
      );
      const isLast = position + bytesRead === end;
      if (bytesRead === 0 || (isLast && (await file.hasChanged())))
        throw new Error(`${file.path} was changed while it was being sent`);
      // a connection that has ended may still read from the buffer, which is then not reused
      if (!(await written(clock, response, buffer.subarray(0, bytesRead)))) return position - start;
      position += bytesRead;
    }
    if (free.length < KEPT_BUFFERS) free.push(buffer);
    return position - start;
  };
}

/** Resolves to true when the system has accepted the piece, to false when the connection has ended. */
function written(clock: Clock, response: ServerResponse, piece: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(PIECE_MILLISECONDS, () => response.destroy());
    const settle = (isWritten: boolean) => {
      cancel();
      response.off('close', onClose);
      resolve(isWritten);
    };
    const onClose = () => settle(false);
    response.once('close', onClose);
    if (response.destroyed) settle(false);
    else response.write(piece, (error) => settle(error === null || error === undefined));
  });
}
