// The Range header (RFC 9110, 14.2).

/** The bytes from `start` up to `end`, without the byte at `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the range that the header asks for, undefined for the whole content, or `unsatisfiable`. A malformed header,
 * or one with several ranges, counts as asking for the whole content: a server may ignore ranges, and no boot firmware
 * sends several.
 */
export function requestedRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (first === '') return lastBytes(last, size);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

function lastBytes(digits: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (digits === '') return undefined;
  const count = Number(digits);
  return count === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - count), end: size };
}
