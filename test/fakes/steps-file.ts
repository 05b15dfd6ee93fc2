// A file with the steps of a request, as operators pass it to clients.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file's path; the file is removed when the test ends. */
export function stepsFile(test: { after(end: () => void): void }, steps: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-steps-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'steps.json');
  writeFileSync(file, JSON.stringify(steps));
  return file;
}
