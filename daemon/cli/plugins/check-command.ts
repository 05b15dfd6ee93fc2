// `ironic-edge plugin check`: checks the plugin in a folder, once or after every change.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { statSync, watch } from 'node:fs';
import { reasonOf } from '../../model/faults.ts';
import { isolatedCheck } from '../../plugin-kit/conformance/isolated-check.ts';
import { runOwnTests } from '../../plugin-kit/conformance/own-tests.ts';
import { typeProblems } from '../../plugin-kit/conformance/type-problems.ts';
import { type ConfigRequest, findPlugins } from '../../plugin-host/configured-plugins.ts';
import { folderFiles } from '../../plugin-kit/shipping/folder-files.ts';
import { commandOf, FLAG, TEXT } from '../command.ts';
import type { Output } from '../output.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';

/** The memory limit of the process in which a plugin is checked: the default of [plugins] memory_limit. */
const MEMORY_MEBIBYTES = 256;

/** Resolves to exit code 1 for a plugin with problems or failed tests. */
export const check = commandOf({
  usage,
  options: { 'config-file': TEXT, watch: FLAG },
  positionals: ['FOLDER'],
  async run({ values, positionals: [folder] }, { environment, stdout }) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new Error(
        `there is no folder ${folder}. Name the folder of a plugin; "ironic-edge plugin new" creates one.`,
      );
    const request = { configFile: values['config-file'], environment };
    if (!values.watch) return checkOnce(folder, request, stdout);
    return checkAgain(folder, request, stdout);
  },
});

async function checkOnce(folder: string, request: ConfigRequest, stdout: Output): Promise<number> {
  const others = findPlugins(request).plugins;
  const checked = await isolatedCheck({ folder, others }, MEMORY_MEBIBYTES, (text) => stdout.write(text));
  const types = await typeProblems(folder);
  const findings =
    types?.kind === 'checked' ? [...checked, { subject: 'types', problems: types.problems }] : checked;
  for (const { subject, problems } of findings) {
    stdout.write(`${problems.length === 0 ? 'ok     ' : 'wrong  '} ${subject}\n`);
    for (const problem of problems) stdout.write(`         ${problem}\n`);
  }
  if (types?.kind === 'not checked') stdout.write(`not checked: types, as ${types.reason}\n`);
  const wrong = findings.filter(({ problems }) => problems.length > 0).length;
  if (wrong > 0) return 1;
  const tests = await runOwnTests(folder);
  stdout.write(tests.report);
  return tests.passed ? 0 : 1;
}

/** Checks at once, and again whenever the content of a file has changed, until a signal ends the command. */
async function checkAgain(folder: string, request: ConfigRequest, stdout: Output): Promise<never> {
  const watcher = watch(folder, { recursive: true });
  for (;;) {
    const checked = contentOf(folder);
    const code = await checkOnce(folder, request, stdout);
    stdout.write(
      `--- ${code === 0 ? 'all is well' : 'there are problems'}; waiting for a change (Ctrl-C ends)\n`,
    );
    // the loop compares contents: the plugin's tests may write into the folder, and editors may save files without a change
    while (contentOf(folder) === checked) await once(watcher, 'change');
  }
}

/**
 * Returns a text that changes when the content of the folder changes. If the folder cannot be read, the text is the reason: a
 * file that is being replaced may be missing for a moment.
 */
function contentOf(folder: string): string {
  try {
    const hash = createHash('sha256');
    for (const { path, bytes } of folderFiles(folder))
      hash.update(`${path}\0${bytes.length}\0`).update(bytes);
    return hash.digest('hex');
  } catch (error) {
    return reasonOf(error);
  }
}
