// `ironic-edge agent-image build|check`: makes a kernel and a ramdisk with the agent, and checks such files.
import { join, resolve } from 'node:path';
import { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { buildAgentImage, imageIn, kernelIn, newestImage, ramdiskIn } from './build/build-agent-image.ts';
import { configurationLines } from './configuration-lines.ts';
import { checkFile } from './check/check-file.ts';
import { contradictions } from './check/contradictions.ts';
import { commandOf, FLAG, groupOf, TEXT, WrongArguments } from '../command.ts';

const SUITE = 'trixie';

const USAGE = `usage: ironic-edge agent-image build [--directory DIRECTORY] [--suite SUITE] [--again] [--config-file FILE]
       ironic-edge agent-image check [--kernel FILE] [--ramdisk FILE] [--config-file FILE]

  build               makes a kernel and a ramdisk with ironic-python-agent for this host's architecture from Debian's
                      packages, and prints the lines of the configuration that name them. Takes some minutes; needs root
  --directory         where to put the image (default: agent-images below [DEFAULT] state_path)
  --suite             the Debian release (default: ${SUITE})
  --again             build a new image even if there is one already; the old image is kept

  check               prints what the files contain and what is wrong with them. Without --kernel and --ramdisk, the
                      files are those of the newest image in agent-images below [DEFAULT] state_path

  --config-file FILE  as for serve
`;

const build = commandOf({
  usage: USAGE,
  options: { directory: TEXT, suite: TEXT, again: FLAG, 'config-file': TEXT },
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const { suite = SUITE, again, 'config-file': configFile } = values;
    if (!/^[a-z]+$/.test(suite))
      throw new WrongArguments(`--suite ${JSON.stringify(suite)}: expected the name of a Debian release`);
    const { config } = readConfigWithPlugins({ configFile, environment });
    const directory = resolve(values.directory ?? standardDirectory(config));
    const folder = await buildAgentImage({ directory, suite, again }, (line) => stdout.write(`${line}\n`));
    const image = imageIn(folder);
    if (image === undefined) throw new Error(`${folder} was deleted after it was built`);
    stdout.write(`\n${configurationLines(folder, image, config.conductor.file_url_allowed_paths)}`);
    return 0;
  },
});

/** Resolves to exit code 1 when a file is wrong, or when the files do not fit together. */
const check = commandOf({
  usage: USAGE,
  options: { kernel: TEXT, ramdisk: TEXT, 'config-file': TEXT },
  positionals: [],
  async run({ values: { kernel, ramdisk, 'config-file': configFile } }, { environment, stdout }) {
    const named = [kernel, ramdisk].filter((file) => file !== undefined);
    const files =
      named.length > 0
        ? named
        : newestFiles(standardDirectory(readConfigWithPlugins({ configFile, environment }).config));
    const checked = await Promise.all(files.map(checkFile));
    for (const { file, what, problems } of checked) {
      stdout.write(`${file}: ${what}\n`);
      for (const problem of problems) stdout.write(`  wrong: ${problem}\n`);
    }
    const between = contradictions(checked);
    for (const problem of between) stdout.write(`wrong: ${problem}\n`);
    return between.length > 0 || checked.some(({ problems }) => problems.length > 0) ? 1 : 0;
  },
});

export const agentImageCommand = groupOf(USAGE, { build, check });

function newestFiles(directory: string): readonly string[] {
  const newest = newestImage(directory, () => true);
  if (newest === undefined)
    throw new Error(`${directory} holds no image: run "ironic-edge agent-image build", or name files`);
  return [kernelIn(newest.folder), ramdiskIn(newest.folder)];
}

const standardDirectory = ({ DEFAULT }: ReturnType<typeof readConfigWithPlugins>['config']): string =>
  join(DEFAULT.state_path, 'agent-images');
