// Converts an inspected image to raw with qemu-img, which gets the format as an argument and so never guesses it.
import path from 'node:path';
import { runBounded } from '../lib/run-bounded.ts';
import { claimRoom, diskFull } from '../lib/files/disk-room.ts';
import { imageLimits } from './limits.ts';

export interface Conversion {
  /** An absolute path, as is `to`: QEMU would take the text before a colon in a relative path for the name of a protocol. */
  readonly from: string;
  readonly to: string;
  /** The format, by qemu-img's name. */
  readonly format: string;
  readonly virtualBytes: number;
}

export interface ConversionSettings {
  readonly memoryMebibytes: number;
  readonly signal: AbortSignal;
}

const LACK_OF_MEMORY = ['allocate memory', 'Resource temporarily unavailable'];

/**
 * Rejects with DiskFull, with the signal's reason when it aborts, or with an Error whose message gives the reason, such as
 * `its conversion to raw failed: ...`.
 */
export async function convertToRaw(
  { from, to, format, virtualBytes }: Conversion,
  { memoryMebibytes, signal }: ConversionSettings,
): Promise<void> {
  // whoever made the image chose what it expands to
  using _ = await claimRoom(to, virtualBytes);
  const ended = await runBounded({
    program: 'qemu-img',
    argumentList: ['convert', '-f', format, '-O', 'raw', from, to],
    limits: {
      seconds: imageLimits.conversionSeconds,
      memoryMebibytes,
      fileMebibytes: Math.ceil(virtualBytes / 2 ** 20),
    },
    // few malloc arenas, because each takes address space, and memoryMebibytes limits the address space
    environment: { MALLOC_ARENA_MAX: '3' },
    signal,
  });
  if (ended.exit === 0) return;
  if (ended.timedOut)
    throw new Error(`its conversion to raw has not ended within ${imageLimits.conversionSeconds} s`);
  if (ended.output.includes('No space left on device')) throw await diskFull(path.dirname(to));
  throw new Error(sentenceFor(ended.output.trim().slice(0, imageLimits.conversionMessageCharacters)));
}

function sentenceFor(reason: string): string {
  if (reason.includes('failed to execute qemu-img'))
    return 'qemu-img is not installed, but is needed to convert images to raw; install the package qemu-utils';
  if (LACK_OF_MEMORY.some((words) => reason.includes(words)))
    return `its conversion to raw failed: ${reason}; allow more with [disk_utils] image_convert_memory_limit`;
  return `its conversion to raw failed: ${reason || 'qemu-img was killed, most likely at a limit'}`;
}
