// Builds cpio archives in the newc format, which the kernel unpacks.

export interface ArchivedFile {
  readonly name: string;
  readonly mode: 'file' | 'program' | 'folder' | 'link';
  /** The contents of a file, or the target of a link. */
  readonly contents?: string | Buffer;
}

const MODES = { file: 0o100644, program: 0o100755, folder: 0o40755, link: 0o120777 } as const;

export function cpioArchive(files: readonly ArchivedFile[]): Buffer {
  const entries = files.map(({ name, mode, contents = '' }, index) =>
    entry(name, [index + 1, MODES[mode]], Buffer.from(contents)),
  );
  return Buffer.concat([...entries, entry('TRAILER!!!', [0, 0], Buffer.alloc(0))]);
}

function entry(name: string, [inode, mode]: readonly [number, number], contents: Buffer): Buffer {
  const bytes = Buffer.byteLength(name) + 1;
  const numbers = [inode, mode, 0, 0, 1, 0, contents.length, 0, 0, 0, 0, bytes, 0];
  const header = `070701${numbers.map((number) => number.toString(16).padStart(8, '0')).join('')}`;
  return Buffer.concat([padded(Buffer.from(`${header}${name}\0`)), padded(contents)]);
}

const padded = (part: Buffer): Buffer => Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)]);
