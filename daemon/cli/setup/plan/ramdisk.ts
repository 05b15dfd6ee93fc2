// The ramdisk with the agent: setup builds it, or takes one that has been built, and names it in the configuration.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { imageIn, usedImage } from '../../agent-image/agent-images.ts';
import { lackingRoom } from '../../agent-image/build/build-agent-image.ts';
import { hostArchitecture } from '../../agent-image/build/packages.ts';
import {
  configurationLines,
  linesForUsed,
  standardDirectory,
} from '../../agent-image/configuration-lines.ts';
import { buildAgentImage } from '../../agent-image/upkeep.ts';
import type { HostChange } from '../change.ts';
import { hostText } from '../host/host.ts';
import { CONFIG_FILE, marked } from '../paths.ts';
import { add, additionTo } from './additions.ts';
import type { PlanParts } from './plan-parts.ts';

const BUILD = 'ramdisk';
export const RAMDISK_LINES = 'ramdisk-lines';
const SUITE = 'trixie';

/** `wanted`: `build`, `none` or the folder of an image. Returns nothing when the operator's file names a ramdisk. Throws when there is no room. */
export function ramdiskChanges(parts: PlanParts, wanted: string): readonly HostChange[] {
  const { host, loaded, ramdiskByOperator } = parts;
  if (wanted === 'none' || ramdiskByOperator) return [];
  if (wanted !== 'build') return linesChange(parts, linesOfFolder(parts, path.resolve(wanted)));
  const directory = standardDirectory(loaded.config);
  const isBuilt = usedImage(host.root + directory, hostArchitecture()) !== undefined;
  return [
    ...(isBuilt ? [] : [buildChange(parts, directory)]),
    ...linesChange(parts, linesForUsed(directory, hostArchitecture(), loaded.config)),
  ];
}

function linesOfFolder({ host, loaded }: PlanParts, folder: string): string {
  const image = imageIn(host.root + folder);
  if (image === undefined)
    throw new Error(
      `--ramdisk ${folder}: expected build, none, or a folder that "ironic-edge agent-image build" has made, such as /var/lib/ironic-edge/agent-images/trixie-amd64-20270131T020000`,
    );
  return configurationLines(folder, image, loaded.config);
}

function buildChange({ host, progress }: PlanParts, directory: string): HostChange {
  const place = host.root + directory;
  const room = lackingRoom(place);
  if (room !== undefined)
    throw new Error(`${room}. Free some space, or add --ramdisk none and build it elsewhere.`);
  const request = {
    directory: place,
    suite: SUITE,
    architecture: hostArchitecture(),
    mirror: undefined,
  };
  return {
    id: BUILD,
    says: `builds the ramdisk with the agent in ${directory}, in some minutes`,
    shows: ['ironic-edge agent-image build'],
    prepare: async () => ({
      kind: 'folders',
      path: directory,
      before: existsSync(place) ? readdirSync(place) : [],
    }),
    async apply() {
      await buildAgentImage(request, progress);
    },
  };
}

function linesChange({ host, journal, group }: PlanParts, lines: string): readonly HostChange[] {
  const text = marked(lines.trimEnd().split('\n'));
  if ((hostText(host, CONFIG_FILE) ?? '').includes(text)) return [];
  return [
    {
      id: RAMDISK_LINES,
      says: `names the ramdisk in ${CONFIG_FILE}`,
      shows: text.trimEnd().split('\n'),
      prepare: async () => additionTo(host, CONFIG_FILE, text),
      apply: async (undo) => add(host, journal, RAMDISK_LINES, { undo, mode: 0o640, group }),
    },
  ];
}
