// The `root-device` hook: finds the disk that matches the root device hints or, without hints, takes the ramdisk's choice
// (plugin data `root_disk`). Sets properties/local_gb to the size of this disk less what is reserved for partitioning.
import {
  defineHook,
  diskTest,
  type DiskTest,
  Fault,
  type Configuration,
  type InspectionDraft,
  InspectionError,
  isJsonObject,
  type Json,
} from '#plugin-api';
import { disksOf } from './disks.ts';
import { options } from '../options.ts';
import { shown } from '../shown.ts';

export const rootDevice = defineHook({
  checkConfiguration: spacingIn,
  call(draft) {
    const { root_device: hints = null } = draft.node.properties;
    const disk = isSet(hints) ? hintedDisk(draft, hints) : draft.pluginData['root_disk'];
    if (!isSet(hints) && hints !== null && !isJsonObject(hints))
      draft.warn(
        `properties/root_device of the node is ${shown(hints)}, expected an object of hints; the hints are ignored.`,
      );
    const localGb = isJsonObject(disk) ? usableGibibytes(draft, disk['size']) : 0;
    if (disk !== undefined) draft.pluginData['root_disk'] = disk;
    draft.pluginData['local_gb'] = localGb;
    draft.node.properties['local_gb'] = localGb;
  },
});

/** Whether Python would take the value for true: null, false, 0 and empty values are false. */
const isSet = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

function hintedDisk({ inventory, node }: InspectionDraft, hints: Json): Json {
  const { skip_block_devices: given = null } = node.properties;
  const skipped = isSet(given) ? given : [];
  if (!Array.isArray(skipped)) {
    throw new InspectionError(
      `properties/skip_block_devices of the node is ${shown(skipped)}, expected a list of hints`,
    );
  }
  const isRoot = understood('properties/root_device', hints);
  const skips = (skipped as readonly Json[]).map((skip) => understood('properties/skip_block_devices', skip));
  const disks = disksOf(inventory);
  const found = disks.find((disk) => !skips.some((isSkipped) => isSkipped(disk)) && isRoot(disk));
  if (found !== undefined) return found;
  const names = disks.map(({ name = null }) => name);
  throw new InspectionError(
    `No disks satisfied the hints in properties/root_device ${shown(hints)}. Disks: ${shown(names)}`,
  );
}

function understood(property: string, hints: Json): DiskTest {
  try {
    return diskTest(property, hints);
  } catch (error) {
    throw error instanceof Fault ? new InspectionError(error.message) : error;
  }
}

const GIB = 2 ** 30;

function usableGibibytes(draft: InspectionDraft, size: Json | undefined): number {
  const gibibytes = typeof size === 'number' ? Math.floor(size / GIB) : 0;
  if (gibibytes < 1) {
    draft.warn(`The root disk is smaller than 1 GiB or of unknown size: ${shown(size)}.`);
    return 0;
  }
  return Math.max(0, gibibytes - spacingIn(draft.configuration));
}

/** Returns the GiB to reserve for partitioning; true means 1 and false 0. Throws when the option is malformed. */
function spacingIn(configuration: Configuration): number {
  const text = options({ configuration }).disk_partitioning_spacing.toLowerCase();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (text === 'true') return 1;
  if (text === 'false') return 0;
  throw new Error(
    `[inspector] disk_partitioning_spacing = ${text}: expected a number of GiB, true (1) or false (0)`,
  );
}
