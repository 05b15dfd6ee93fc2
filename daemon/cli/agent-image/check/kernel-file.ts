// Recognises Linux kernels that boot loaders start: bzImage of x86, Image and EFI zboot of arm64.

export interface KernelFacts {
  readonly architecture: 'x86_64' | 'aarch64';
  /** Undefined for aarch64, and for an x86_64 kernel whose setup header does not point to a version. */
  readonly version: string | undefined;
}

/** How many bytes from the start of a file are enough to recognise a kernel. */
export const KERNEL_START_BYTES = 65_536;

/** Undefined for a file that is not a kernel. */
export function kernelFacts(start: Buffer): KernelFacts | undefined {
  if (textAt(start, 0x202, 4) === 'HdrS') return { architecture: 'x86_64', version: bzImageVersion(start) };
  const isArm =
    textAt(start, 0x38, 4) === 'ARM\u0064' ||
    (textAt(start, 0, 2) === 'MZ' && textAt(start, 4, 4) === 'zimg');
  return isArm ? { architecture: 'aarch64', version: undefined } : undefined;
}

/** The setup header of x86 boot protocol 2.00 points to a text such as `6.12.1-amd64 (builder) #1 ...`. */
function bzImageVersion(start: Buffer): string | undefined {
  const pointer = start.readUInt16LE(0x20e);
  if (pointer === 0) return undefined;
  const text = textAt(start, 0x200 + pointer, 256).split('\0')[0] ?? '';
  return text.split(' ')[0] || undefined;
}

const textAt = (start: Buffer, offset: number, bytes: number): string =>
  start.subarray(offset, offset + bytes).toString('latin1');
