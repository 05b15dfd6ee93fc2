// What the operator reads about requests and transfers.
import type { BootEvent } from '../boot-event.ts';
import type { Ending } from './sender.ts';
import { tftpLimits } from '../limits.ts';

type Report = Pick<BootEvent, 'text' | 'failed'>;

/** A name or text that came from the network, as one short line. */
export function printable(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
  return plain.length > tftpLimits.shownCharacters
    ? `${plain.slice(0, tftpLimits.shownCharacters)}...`
    : plain;
}

/**
 * Undefined when there is nothing to report: the daemon stopped the transfer, or the client ended it before it acknowledged any
 * data. Clients that only want to know the size end a transfer so early.
 */
export function reportEnding(name: string, ending: Ending, milliseconds: number): Report | undefined {
  const file = printable(name);
  switch (ending.kind) {
    case 'sent': {
      const seconds = (milliseconds / 1000).toFixed(1);
      const text = `sent ${file} (${ending.bytes.toLocaleString('en')} bytes) in ${seconds} s`;
      return { text: ending.isConfirmed ? text : `${text}; the last acknowledgement did not arrive` };
    }
    case 'declined':
      if (ending.afterBytes === 0) return undefined;
      return failed(
        `aborted ${file} after ${ending.afterBytes.toLocaleString('en')} bytes: ${printable(ending.text)}`,
      );
    case 'silent':
      return failed(`did not get all of ${file}: no answer after ${ending.tries} tries`);
    case 'failed':
      return failed(`did not get all of ${file}: ${reason(ending.error)}`);
    default:
      return undefined;
  }
}

export const failed = (text: string): Report => ({ text, failed: true });

/** `error` as the end of a sentence. */
export function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'the machine has closed its port';
  if (code === 'EHOSTUNREACH') return 'the machine cannot be reached';
  return isShortage(error) ? 'the daemon has too many open files' : message;
}

/** Whether `error` means that the process or the system had no file descriptor left, which passes soon. */
export function isShortage(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE';
}
