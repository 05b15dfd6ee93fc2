// A file of a test, in a folder of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Returns the path of a new file with the text. The file is removed when the test ends. */
export function fileWith(test: { after(end: () => void): void }, name: string, text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ironic-edge-file-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}
