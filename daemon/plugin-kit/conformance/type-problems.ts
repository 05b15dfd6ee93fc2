// Whether a plugin passes the TypeScript compiler. Loading a plugin only removes its types, so nothing else checks them.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reasonOf } from '../../model/faults.ts';
import { writeEditorFiles } from '../tools/editor-files.ts';

const COMPILER = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const LONGEST_SECONDS = 120;
const MOST_PROBLEMS = 20;

export type TypeCheck =
  | { readonly kind: 'checked'; readonly problems: readonly string[] }
  | { readonly kind: 'not checked'; readonly reason: string };

/**
 * Compiles the folder with its tsconfig.json against this daemon's plugin API. Undefined: the folder has no tsconfig.json that
 * extends `./.editor/tsconfig.json`.
 */
export async function typeProblems(folder: string): Promise<TypeCheck | undefined> {
  const settings = join(folder, 'tsconfig.json');
  if (!existsSync(settings) || !readFileSync(settings, 'utf8').includes('"./.editor/tsconfig.json"'))
    return undefined;
  if (!existsSync(COMPILER))
    return {
      kind: 'not checked',
      reason:
        'this installation has no TypeScript; to check the types, run the command from a checkout of the daemon after npm ci',
    };
  try {
    writeEditorFiles(folder);
  } catch (error) {
    return { kind: 'not checked', reason: reasonOf(error) };
  }
  return compile(folder);
}

const compile = (folder: string): Promise<TypeCheck> =>
  new Promise((resolve) => {
    const options = { timeout: LONGEST_SECONDS * 1000 };
    execFile(process.execPath, [COMPILER, '-p', folder, '--pretty', 'false'], options, (error, stdout) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      const silent = error !== null && lines.length === 0 ? [reasonOf(error)] : [];
      const more = lines.length > MOST_PROBLEMS ? [`and ${lines.length - MOST_PROBLEMS} more lines`] : [];
      resolve({ kind: 'checked', problems: [...lines.slice(0, MOST_PROBLEMS), ...silent, ...more] });
    });
  });
