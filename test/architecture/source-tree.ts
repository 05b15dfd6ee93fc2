// The files of the project as the architecture rules read them: path from the root, with text.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SourceFile {
  /** The path from the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const root = path.join(import.meta.dirname, '..', '..');

/** These folders hold no source: installed packages, caches, version control, the state of a daemon that ran in this checkout. */
const outside: ReadonlySet<string> = new Set(['node_modules', '.cache', '.git', 'state']);

export function topLevelEntries(): readonly string[] {
  return readdirSync(root).filter((name) => !outside.has(name));
}

/** Every text file outside those folders, except fixtures, which need not keep the rules. */
export function sourceFiles(): readonly SourceFile[] {
  return filesUnder('').flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return text.includes('\0') ? [] : [{ path: file, text }];
  });
}

function filesUnder(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (outside.has(name) || name === 'test/fixtures') return [];
    if (entry.isDirectory()) return filesUnder(name);
    return entry.isFile() ? [name] : [];
  });
}
