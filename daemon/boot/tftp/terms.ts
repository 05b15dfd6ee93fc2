// What server and client agree on for one transfer: the answer to the options of its request.
import { DEFAULT_BLOCK_BYTES, encodeOptionAcknowledgement, type RequestOptions } from './wire.ts';
import { tftpLimits } from '../limits.ts';

export interface Terms {
  readonly blockBytes: number;
  readonly windowBlocks: number;
  readonly timeoutSeconds: number | undefined;
  /** The OACK; undefined when no requested option is granted. The first block is then the answer to the request. */
  readonly answer: Buffer | undefined;
}

/** `sizeBytes` is undefined when the size is known only at the end. */
export function agree(
  asked: RequestOptions,
  largestBlockBytes: number,
  sizeBytes: number | undefined,
): Terms {
  const granted = new Map<string, number>();
  const blockBytes = Math.min(asked.blockBytes ?? DEFAULT_BLOCK_BYTES, largestBlockBytes);
  if (asked.blockBytes !== undefined) granted.set('blksize', blockBytes);
  const room = Math.min(tftpLimits.windowBlocks, Math.floor(tftpLimits.windowBytes / blockBytes));
  const windowBlocks = Math.min(asked.windowBlocks ?? 1, room);
  if (asked.windowBlocks !== undefined) granted.set('windowsize', windowBlocks);
  if (asked.timeoutSeconds !== undefined) granted.set('timeout', asked.timeoutSeconds);
  if (asked.wantsSize && sizeBytes !== undefined) granted.set('tsize', sizeBytes);
  return {
    blockBytes,
    windowBlocks,
    timeoutSeconds: asked.timeoutSeconds,
    answer: granted.size === 0 ? undefined : encodeOptionAcknowledgement(granted),
  };
}
