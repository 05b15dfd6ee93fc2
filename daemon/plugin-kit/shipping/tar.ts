// Writes and reads tar archives of regular files in the format POSIX.1-1988 ustar, which every tool understands. The reader
// refuses links, devices and unsafe paths, so an archive can bring only files below the folder into which it is unpacked.

export interface ArchivedFile {
  /** Relative, with `/` between names. */
  readonly path: string;
  readonly isExecutable: boolean;
  readonly bytes: Buffer;
}

const BLOCK = 512;
const MOST_FILES = 5000;
const REGULAR_FILE = '0';

// Where the fields of a header are: the offset and length of each.
const NAME = [0, 100] as const;
const MODE = [100, 8] as const;
const OWNERS = [108, 16] as const;
const SIZE = [124, 12] as const;
const TIME = [136, 12] as const;
const CHECKSUM = [148, 8] as const;
const KIND = [156, 1] as const;
const MAGIC = [257, 8] as const;
const PREFIX = [345, 155] as const;

type Field = readonly [offset: number, length: number];

/** Equal files in the same order give equal bytes: the archive has no times, and all files belong to root. */
export function writeTar(files: readonly ArchivedFile[]): Buffer {
  const blocks = files.flatMap(({ path, isExecutable, bytes }) => {
    const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
    return [headerOf(path, isExecutable, bytes.length), bytes, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(path: string, isExecutable: boolean, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const [prefix, name] = splitPath(path);
  const put = ([offset]: Field, text: string) => header.write(text, offset, 'utf8');
  put(NAME, name);
  put(MODE, isExecutable ? '0000755\0' : '0000644\0');
  put(OWNERS, '0000000\x000000000\0');
  put(SIZE, `${size.toString(8).padStart(11, '0')}\0`);
  put(TIME, '00000000000\0');
  put(KIND, REGULAR_FILE);
  put(MAGIC, 'ustar\x0000');
  put(PREFIX, prefix);
  put(CHECKSUM, `${checksumOf(header).toString(8).padStart(6, '0')}\0 `);
  return header;
}

/** Splits a path for the header, which has 100 bytes for the name and 155 for the folders before it. */
function splitPath(path: string): readonly [prefix: string, name: string] {
  for (let slash = -1; slash !== path.length; slash = nextSlash(path, slash + 1)) {
    const [prefix, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
    if (Buffer.byteLength(name) <= NAME[1] && Buffer.byteLength(prefix) <= PREFIX[1]) return [prefix, name];
  }
  throw new Error(
    `${path}: the name is too long for an archive; expected at most 100 bytes, and 155 for the folders before it`,
  );
}

const nextSlash = (path: string, from: number): number => {
  const slash = path.indexOf('/', from);
  return slash === -1 ? path.length : slash;
};

/** The sum of the bytes of the header, with blanks in place of the field that holds the sum. */
function checksumOf(header: Buffer): number {
  const [start, length] = CHECKSUM;
  return header.reduce((sum, byte, at) => sum + (at >= start && at < start + length ? 0x20 : byte), 0);
}

/** Throws a one-sentence Error for anything but regular files with unique, relative paths. */
export function readTar(archive: Buffer): readonly ArchivedFile[] {
  const files: ArchivedFile[] = [];
  const paths = new Set<string>();
  let at = 0;
  for (; at + BLOCK <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return files;
    const file = fileAt(archive, header, at + BLOCK);
    refuseClash(paths, file.path);
    files.push(file);
    if (files.length > MOST_FILES) throw new Error(`it holds more than ${MOST_FILES} files`);
    at += BLOCK + Math.ceil(file.bytes.length / BLOCK) * BLOCK;
  }
  throw new Error('it ends in the middle');
}

function fileAt(archive: Buffer, header: Buffer, start: number): ArchivedFile {
  if (textAt(header, MAGIC).slice(0, 5) !== 'ustar' || numberAt(header, CHECKSUM) !== checksumOf(header))
    throw new Error('it is no ustar archive, or it is damaged');
  const prefix = textAt(header, PREFIX);
  const path = `${prefix}${prefix === '' ? '' : '/'}${textAt(header, NAME)}`;
  const kind = textAt(header, KIND);
  if (kind !== REGULAR_FILE)
    throw new Error(`${shown(path)} is of the kind ${shown(kind)}; a plugin consists of regular files only`);
  refuseUnsafe(path);
  const size = numberAt(header, SIZE);
  if (start + size > archive.length) throw new Error(`it ends in the middle of ${shown(path)}`);
  const isExecutable = (numberAt(header, MODE) & 0o100) !== 0;
  return { path, isExecutable, bytes: archive.subarray(start, start + size) };
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 200));

const isUnsafe = (name: string): boolean => name === '' || name.startsWith('.') || name.startsWith('-');

/** Refuses names that lead out of the folder, are hidden, or have a special meaning for terminals, shells or file systems. */
function refuseUnsafe(path: string): void {
  const names = path.split('/');
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (names.some(isUnsafe) || /[\x00-\x1f\x7f\\\ufffd]/.test(path))
    throw new Error(`${shown(path)} is no name of a file below the folder of a plugin`);
}

/**
 * Refuses a name that occurs twice, even if upper and lower case differ, and a file whose name another file uses as its folder.
 */
function refuseClash(paths: Set<string>, path: string): void {
  const key = path.normalize('NFC').toLowerCase();
  const folders = key
    .split('/')
    .flatMap((_, index, names) => (index === 0 ? [] : [names.slice(0, index).join('/')]));
  if (paths.has(key) || paths.has(`${key}/`) || folders.some((folder) => paths.has(folder)))
    throw new Error(`${shown(path)} is in it twice, or as file and folder`);
  paths.add(key);
  for (const folder of folders) paths.add(`${folder}/`);
}

function textAt(header: Buffer, [offset, length]: Field): string {
  const field = header.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

/** Reads an octal number. GNU tar writes sizes as binary numbers too, but only of files that are larger than any plugin. */
function numberAt(header: Buffer, field: Field): number {
  const digits = textAt(header, field).trim();
  if (!/^[0-7]{1,11}$/.test(digits))
    throw new Error('it has a header with a number that is not octal, or it is damaged');
  return parseInt(digits, 8);
}
