// Decides which blocks of a transfer are sent when, without sockets, files or clocks. Blocks are counted from 1, and the count
// does not wrap at 65,535. Block 0 is the answer to the options (OACK), which is acknowledged like a block.

export interface TransferProgress {
  /** The last block that the client has acknowledged. */
  readonly acknowledged: number;
  /** The last block sent; those after `acknowledged` are on their way. */
  readonly sent: number;
  /**
   * Blocks up to this one were sent twice. A client also acknowledges the second copies, which looks as if blocks had been lost.
   * Sending those blocks again would produce further copies endlessly.
   */
  readonly sentTwice: number;
}

/** The transfer begins with the answer to the options, if there is one; otherwise with the first block. */
export const atStart = (hasAnswer: boolean): TransferProgress => {
  const before = hasAnswer ? -1 : 0;
  return { acknowledged: before, sent: before, sentTwice: before - 1 };
};

/** Whether the client has answered at least once, which proves that its address is not forged. */
export const isAnswered = (progress: TransferProgress, hasAnswer: boolean): boolean =>
  progress.acknowledged > atStart(hasAnswer).acknowledged;

/** The last block that may be sent now. Nothing follows the answer until it is acknowledged. */
export const lastToSend = ({ acknowledged }: TransferProgress, windowBlocks: number): number =>
  acknowledged === -1 ? 0 : acknowledged + windowBlocks;

/**
 * The progress after an acknowledgement of the 16-bit number `block`. If blocks after that block have been sent, the
 * acknowledgement means that they were lost (RFC 7440), so they are sent again, unless that block was itself sent twice. A repeated
 * acknowledgement means the same, but not at window 1, where answering it would double every packet from then on (RFC 1123,
 * 4.2.3.1). Returns `progress` itself when nothing changes.
 */
export function afterAcknowledgement(
  progress: TransferProgress,
  block: number,
  windowBlocks: number,
): TransferProgress {
  const { acknowledged, sent, sentTwice } = progress;
  const ahead = (block - acknowledged) & 0xffff;
  if (ahead > sent - acknowledged) return progress;
  const upTo = acknowledged + ahead;
  if (upTo < sent && upTo > sentTwice && windowBlocks > 1)
    return { acknowledged: upTo, sent: upTo, sentTwice: sent };
  return ahead === 0 ? progress : { acknowledged: upTo, sent, sentTwice };
}

/** When the client has not answered in time, all blocks that it has not acknowledged are sent again. */
export const afterSilence = ({ acknowledged, sent, sentTwice }: TransferProgress): TransferProgress => ({
  acknowledged,
  sent: acknowledged,
  sentTwice: Math.max(sent, sentTwice),
});

/** The waits for a client that has never answered: each request, also one with a forged sender, gets five packets. */
const WAITS_AT_START: readonly number[] = [250, 500, 1000, 2000, 4000];
const WAITS: readonly number[] = [250, 500, 1000, 2000, 4000, 8000, 16_000, 16_000];
const PATIENCE_SECONDS = 60;

/**
 * How many milliseconds to wait for an acknowledgement after each time that the same blocks were sent; after the last
 * wait the transfer ends. `timeoutSeconds` is the wait that the client asked for.
 */
export function waits(heardBefore: boolean, timeoutSeconds: number | undefined): readonly number[] {
  if (!heardBefore) return WAITS_AT_START;
  if (timeoutSeconds === undefined) return WAITS;
  const times = Math.max(3, Math.min(WAITS.length, Math.floor(PATIENCE_SECONDS / timeoutSeconds)));
  return Array.from({ length: times }, () => timeoutSeconds * 1000);
}
