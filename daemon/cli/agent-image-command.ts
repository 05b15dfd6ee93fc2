// `ironic-edge agent-image build|check`: makes the ramdisk that machines boot for their agent, and looks at one.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../config/read-config.ts';
import {
  buildAgentImage,
  configurationFor,
  imageIn,
  kernelIn,
  newestImage,
  ramdiskIn,
} from './agent-image/build/build-agent-image.ts';
import { checkFile } from './agent-image/check/check-file.ts';
import { contradictions } from './agent-image/check/contradictions.ts';
import { type CommandContext, commandOf } from './command.ts';

const SUITE = 'trixie';

const USAGE = `usage: ironic-edge agent-image build [--directory DIRECTORY] [--suite SUITE] [--again]
       ironic-edge agent-image check [FILE...]

  build        makes a kernel and a ramdisk with ironic-python-agent for this host's architecture from Debian's
               packages, and prints the lines of the configuration that name them. Takes a few minutes and needs root
  --directory  where; otherwise agent-images below [DEFAULT] state_path
  --suite      the Debian release (${SUITE})
  --again      build a new image even if one is there, which stays

  check        tells what each file is, and what is wrong with it: a kernel, a ramdisk with the agent. Without files,
               the newest image below [DEFAULT] state_path

The exit code of check is 1 when something is wrong.
`;

const options = {
  directory: { type: 'string' },
  suite: { type: 'string' },
  again: { type: 'boolean' },
} as const;

/** Returns the exit code: 0, 1 when a file is not as it should be, 2 for wrong arguments. */
export const agentImageCommand = commandOf(USAGE, parseRequest, (request, context) =>
  request.action === 'build' ? build(request, context) : check(request.files, context),
);

type Request =
  | {
      readonly action: 'build';
      readonly directory: string | undefined;
      readonly suite: string;
      readonly again: boolean;
    }
  | { readonly action: 'check'; readonly files: readonly string[] };

function parseRequest(args: readonly string[]): Request | undefined {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [action, ...files] = positionals;
  const { directory, suite = SUITE, again = false } = values;
  if (action === 'build' && files.length === 0 && /^[a-z]+$/.test(suite))
    return { action, directory, suite, again };
  return action === 'check' && Object.keys(values).length === 0 ? { action, files } : undefined;
}

async function build(
  request: Extract<Request, { action: 'build' }>,
  { environment, stdout }: CommandContext,
): Promise<number> {
  const directory = request.directory ?? standardDirectory(environment);
  const folder = await buildAgentImage({ ...request, directory }, (line) => stdout.write(`${line}\n`));
  const image = imageIn(folder);
  if (image === undefined) throw new Error(`${folder} was deleted while it was built`);
  stdout.write(`\n${configurationFor(folder, image)}`);
  return 0;
}

async function check(files: readonly string[], { environment, stdout }: CommandContext): Promise<number> {
  const checked = await Promise.all((files.length > 0 ? files : newestFiles(environment)).map(checkFile));
  for (const { file, what, problems } of checked) {
    stdout.write(`${file}: ${what}\n`);
    for (const problem of problems) stdout.write(`  wrong: ${problem}\n`);
  }
  const between = contradictions(checked);
  for (const problem of between) stdout.write(`wrong: ${problem}\n`);
  return between.length > 0 || checked.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

function newestFiles(environment: CommandContext['environment']): readonly string[] {
  const directory = standardDirectory(environment);
  const newest = newestImage(directory, () => true);
  if (newest === undefined)
    throw new Error(`${directory} holds no image: name files, or run "ironic-edge agent-image build"`);
  return [kernelIn(newest.folder), ramdiskIn(newest.folder)];
}

const standardDirectory = (environment: CommandContext['environment']): string =>
  join(
    readConfig({ configFile: undefined, environment, sections: [] }).config.DEFAULT.state_path,
    'agent-images',
  );
