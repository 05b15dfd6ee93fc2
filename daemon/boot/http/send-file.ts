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
/** Transfers beyond this number send smaller pieces, so that clients which read slowly do not take all memory. */
const LARGE_PIECES = 128;
const SMALL_PIECE_BYTES = 64 * 1024;

/**
 * Sends the part. Resolves with the number of bytes handed to the connection. If the connection ends early, this is less than the
 * length of the part. Rejects before it sends the last piece if the file has been written to, so that the client never takes a
 * mixture of two versions for a complete file.
 */
export type SendFile = (response: ServerResponse, file: OpenFile, part: ByteRange) => Promise<number>;

/** Sends one piece at a time: what is not sent yet stays in the file instead of in memory. */
export function createSendFile(clock: Clock): SendFile {
  const pieces = createPieces();
  return async (response, file, { start, end }) => {
    using piece = pieces.take();
    const { buffer } = piece;
    let position = start;
    while (position < end) {
      const { bytesRead } = await file.handle.read(
        buffer,
        0,
        Math.min(buffer.length, end - position),
        position,
      );
      const isLast = position + bytesRead === end;
      if (bytesRead === 0 || (isLast && (await file.hasChanged())))
        throw new Error(`${file.path} was changed while it was being sent`);
      if (!(await written(clock, response, buffer.subarray(0, bytesRead)))) {
        piece.discard();
        return position - start;
      }
      position += bytesRead;
    }
    return position - start;
  };
}

interface Piece extends Disposable {
  readonly buffer: Buffer;
  /** A connection that has ended may still read from the buffer, which is then not reused. */
  discard(): void;
}

/** The buffers of transfers. They are reused, because memory that the process once had is seldom given back. */
function createPieces(): { take(): Piece } {
  const free: Readonly<Record<'large' | 'small', Buffer[]>> = { large: [], small: [] };
  let large = 0;
  return {
    take() {
      const kind = large < LARGE_PIECES ? 'large' : 'small';
      const buffer =
        free[kind].pop() ?? Buffer.allocUnsafeSlow(kind === 'large' ? PIECE_BYTES : SMALL_PIECE_BYTES);
      if (kind === 'large') large += 1;
      let isReused = true;
      return {
        buffer,
        discard() {
          isReused = false;
        },
        [Symbol.dispose]() {
          if (kind === 'large') large -= 1;
          if (isReused) free[kind].push(buffer);
        },
      };
    },
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
