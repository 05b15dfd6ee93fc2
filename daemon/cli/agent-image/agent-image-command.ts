// `ironic-edge agent-image build|update|list|use|check`: makes kernels and ramdisks with the agent, keeps them up to date, and
// checks such files.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nearestName } from '../../config/nearest-name.ts';
import { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { type CommandContext, commandOf, groupOf, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { formatted, OUTPUT_HELP, tableOf } from '../text-table.ts';
import {
  allArchitectures,
  type FoundImage,
  imagesIn,
  kernelIn,
  linkIn,
  ramdiskIn,
  usedImage,
  useImage,
} from './agent-images.ts';
import { makeAgentImage } from './build/build-agent-image.ts';
import { type DebianArchitecture, hostArchitecture } from './build/packages.ts';
import { buildProgress } from './build-progress.ts';
import { linesForUsed, standardDirectory } from './configuration-lines.ts';
import { checkFile } from './check/check-file.ts';
import { contradictions } from './check/contradictions.ts';
import { namedImages } from './named-images.ts';
import { bootedImage, buildAgentImage, lockImages, updateAgentImages } from './upkeep.ts';

const SUITE = 'trixie';

const USAGE = `usage: ironic-edge agent-image build [--directory DIRECTORY] [--suite SUITE] [--arch ARCH] [--mirror URL]
                                     [--config-file FILE]
       ironic-edge agent-image update [--directory DIRECTORY] [--config-file FILE]
       ironic-edge agent-image list [--directory DIRECTORY] [--format FORMAT] [--config-file FILE]
       ironic-edge agent-image use IMAGE [--directory DIRECTORY] [--config-file FILE]
       ironic-edge agent-image check [--kernel FILE] [--ramdisk FILE] [--config-file FILE]

  build               makes a kernel and a ramdisk with ironic-python-agent from Debian's packages, in some minutes, unless
                      there is an image with these options; needs root. Shows its progress on standard error, and prints the
                      lines of the configuration that name the files: ironic-edge agent-image build >>ironic.conf
  --directory         where the images are (default: agent-images below [DEFAULT] state_path)
  --suite             the Debian release (default: ${SUITE})
  --arch              ${allArchitectures.join(' or ')} (default: that of this host). For another one than the host's, Debian's package
                      qemu-user-static must be installed, and the build takes far longer
  --mirror            the Debian mirror (default: the one that apt of this host uses)

  update              builds the image that machines boot once more, with the same options and the updates that Debian has
                      published since; needs root. Boots that begin later get the new image, those under way get the old one
                      to their end. The image before it stays to go back to; older ones are removed unless the configuration
                      or a node names them. When the build fails, machines go on booting the present image
  list                prints the images, the newest first, and which one machines boot
  use                 lets machines boot this image from now on; an older one, to go back after an update

  check               prints what the files contain and what is wrong with them. Without --kernel and --ramdisk, the
                      files are those that machines boot

${OUTPUT_HELP}  --config-file FILE  as for serve
`;

const PLACE = { directory: TEXT, 'config-file': TEXT } as const;

interface Place {
  readonly directory?: string | undefined;
  readonly 'config-file'?: string | undefined;
}

function placeOf({ directory, 'config-file': configFile }: Place, { environment }: CommandContext) {
  const loaded = readConfigWithPlugins({ configFile, environment });
  return {
    loaded,
    directory: resolve(directory ?? standardDirectory(loaded.config)),
  };
}

const build = commandOf({
  usage: USAGE,
  options: { ...PLACE, suite: TEXT, arch: TEXT, mirror: TEXT },
  positionals: [],
  async run({ values }, context) {
    const { suite = SUITE, mirror } = values;
    if (!/^[a-z]+$/.test(suite))
      throw new WrongArguments(`--suite ${JSON.stringify(suite)}: expected the name of a Debian release`);
    if (mirror !== undefined && !/^(https?|file):\/\/\S+$/.test(mirror))
      throw new WrongArguments(
        `--mirror ${JSON.stringify(mirror)}: expected a URL such as http://deb.debian.org/debian`,
      );
    const architecture = architectureFrom(values.arch);
    const { directory, loaded } = placeOf(values, context);
    const request = { directory, suite, architecture, mirror };
    await buildAgentImage(request, buildProgress(context.stderr));
    context.stdout.write(linesForUsed(directory, architecture, loaded.config));
    return 0;
  },
});

function architectureFrom(text: string | undefined): DebianArchitecture {
  if (text === undefined) return hostArchitecture();
  const known = allArchitectures.find((each) => each === text);
  if (known !== undefined) return known;
  throw new WrongArguments(`--arch ${JSON.stringify(text)}: expected ${allArchitectures.join(' or ')}`);
}

const update = commandOf({
  usage: USAGE,
  options: PLACE,
  positionals: [],
  async run({ values }, context) {
    const { directory, loaded } = placeOf(values, context);
    const updated = await updateAgentImages({
      directory,
      progress: buildProgress(context.stderr),
      isNamed: await namedImages(loaded),
      make: makeAgentImage,
    });
    const configured = JSON.stringify(loaded.config.conductor);
    for (const { image, before } of updated) {
      const { architecture } = image.image;
      const isConfigured = configured.includes(`${pathToFileURL(linkIn(directory, architecture)).href}/`);
      context.stdout.write(
        isConfigured
          ? `${image.name}: machines boot it from now on. To go back: ironic-edge agent-image use ${before.name}\n`
          : `${image.name}: built, but the configuration does not name it. Put these lines in the place of those that name another ramdisk, and restart the daemon; later updates need no change:\n${linesForUsed(directory, architecture, loaded.config)}`,
      );
    }
    return 0;
  },
});

const list = commandOf({
  usage: USAGE,
  options: { ...PLACE, ...OUTPUT },
  positionals: [],
  run({ values }, context) {
    const { directory } = placeOf(values, context);
    const rows = imagesIn(directory).map((found) => rowOf(directory, found));
    context.stdout.write(
      formatted(values, rows, () =>
        rows.length === 0 ? `${directory} holds no image\n` : tableOf(Object.keys(rows[0] ?? {}), rows),
      ),
    );
    return 0;
  },
});

function rowOf(directory: string, { name, folder, image }: FoundImage) {
  const { architecture, suite, debian = null, agent, kernel, built, mirror = null } = image;
  const bytes = [kernelIn(folder), ramdiskIn(folder)]
    .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size);
  const used = usedImage(directory, architecture)?.name === name;
  return { name, used, built, bytes, architecture, suite, debian, agent, kernel, mirror };
}

const use = commandOf({
  usage: USAGE,
  options: PLACE,
  positionals: ['IMAGE'],
  async run({ values, positionals: [name] }, context) {
    const { directory } = placeOf(values, context);
    using _ = await lockImages(directory);
    const images = imagesIn(directory);
    const found = images.find((each) => each.name === name);
    if (found === undefined) throw noImage(directory, name, images);
    await useImage(directory, found);
    context.stdout.write(`${name}: machines boot it from now on\n`);
    return 0;
  },
});

function noImage(directory: string, name: string, images: readonly FoundImage[]): Error {
  const names = images.map((each) => each.name);
  const near = nearestName(name, names);
  const expected = near === undefined ? names.join(', ') || 'none is there' : `did you mean ${near}?`;
  return new Error(`${directory} holds no image ${JSON.stringify(name)}: ${expected}`);
}

/** Resolves to exit code 1 when a file is wrong, or when the files do not fit together. */
const check = commandOf({
  usage: USAGE,
  options: { kernel: TEXT, ramdisk: TEXT, 'config-file': TEXT },
  positionals: [],
  async run({ values }, context) {
    const named = [values.kernel, values.ramdisk].filter((file) => file !== undefined);
    const files = named.length > 0 ? named : bootedFiles(placeOf(values, context).directory);
    const { stdout } = context;
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

export const agentImageCommand = groupOf(USAGE, { build, update, list, use, check });

function bootedFiles(directory: string): readonly string[] {
  const booted = bootedImage(directory, hostArchitecture());
  if (booted === undefined)
    throw new Error(`${directory} holds no image: run "ironic-edge agent-image build", or name files`);
  return [kernelIn(booted.folder), ramdiskIn(booted.folder)];
}
