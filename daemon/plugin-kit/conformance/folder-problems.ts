// What is wrong with the files of a plugin's folder, judged without running them.
import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { reasonOf } from '../../model/faults.ts';
import { distrustOf } from '../../plugin-host/manifests/untrusted-file.ts';

/** How many files and folders are looked at: enough for a plugin with packages in its node_modules. */
const MOST_ENTRIES = 20_000;
/** How many problems are reported: further problems mostly repeat the first ones. */
const MOST_PROBLEMS = 10;

/** Whether the file is in the folder. Both are real paths, without symbolic links. */
export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** Returns sentences for the first problems that it finds. `folder`: the real path of the folder. */
export function folderProblems(folder: string): readonly string[] {
  const distrust = distrustOf(folder);
  const problems = distrust === undefined ? [] : [distrust];
  const waiting = [folder];
  let left = MOST_ENTRIES;
  for (let one = waiting.pop(); one !== undefined && problems.length < MOST_PROBLEMS; one = waiting.pop()) {
    for (const entry of readdirSync(one, { withFileTypes: true })) {
      left -= 1;
      if (left < 0)
        return [
          ...problems,
          `it has more than ${MOST_ENTRIES} files and folders; only the first ${MOST_ENTRIES} were looked at`,
        ];
      problems.push(...problemOf(folder, entry));
      if (entry.isDirectory()) waiting.push(path.join(one, entry.name));
    }
  }
  return problems.slice(0, MOST_PROBLEMS);
}

function problemOf(folder: string, entry: Dirent): readonly string[] {
  const file = path.join(entry.parentPath, entry.name);
  try {
    if (entry.isSymbolicLink()) return linkProblem(folder, file);
    if (!entry.isFile() && !entry.isDirectory())
      return [`${file} is ${kindOf(entry)}; a plugin consists of files and folders: remove it`];
    const distrust = distrustOf(file);
    return distrust === undefined ? [] : [distrust];
  } catch (error) {
    return [`${file} cannot be looked at: ${reasonOf(error)}`];
  }
}

function linkProblem(folder: string, file: string): readonly string[] {
  const target = realpathSync(file);
  if (isWithin(folder, target)) return [];
  return [
    `${file} is a link that leads out of the plugin's folder, to ${target}; copy what the plugin needs into the folder`,
  ];
}

const kindOf = (entry: Dirent): string => {
  if (entry.isFIFO()) return 'a pipe';
  return entry.isSocket() ? 'a socket' : 'a device';
};
