// The `accelerators` hook: sets properties/accelerators to a list of those PCI devices that are known accelerators.
import {
  defineHook,
  type Configuration,
  isJsonObject,
  type Json,
  type JsonObject,
  readYaml,
  reasonOf,
} from '#plugin-api';
import { options } from './options.ts';
import { pciDevicesIn, pciId } from './pci-device.ts';

export const accelerators = defineHook({
  checkConfiguration: knownAccelerators,
  call(draft) {
    const devices = pciDevicesIn(draft.pluginData) ?? pciDevicesIn(draft.inventory);
    if (devices === undefined) {
      draft.warn(
        'Accelerators unchanged: the report has no pci_devices; enable the collector pci-devices of the ramdisk.',
      );
      return;
    }
    const known = knownAccelerators(draft.configuration);
    draft.node.properties['accelerators'] = devices.flatMap((device): JsonObject[] => {
      const accelerator = known.get(pciId(device['vendor_id'], device['product_id']) ?? '');
      return accelerator === undefined ? [] : [{ ...accelerator, pci_address: device['bus'] ?? null }];
    });
  },
});

const NVIDIA = [
  ['1eb8', 'Tesla T4'],
  ['1df6', 'GV100GL'],
  ['2236', 'A10'],
  ['2235', 'A40'],
  ['26b9', 'L40S'],
  ['26ba', 'L20'],
].map(([id = '', name = '']) => ({
  vendor_id: '10de',
  device_id: id,
  type: 'GPU',
  device_info: `NVIDIA Corporation ${name}`,
}));

/** Returns accelerators by PCI id. If the file in known_accelerators cannot be used, throws an Error that names the option. */
function knownAccelerators(configuration: Configuration): ReadonlyMap<string, JsonObject> {
  const path = options({ configuration }).known_accelerators;
  const list = path === null ? NVIDIA : listed(path);
  return new Map(
    list.map((one) => {
      const id = isJsonObject(one) ? pciId(one['vendor_id'], one['device_id']) : undefined;
      if (!isJsonObject(one) || id === undefined || /^:|:$/.test(id)) {
        throw unusable(
          path,
          `accelerator ${JSON.stringify(one)}: expected an object with vendor_id and device_id`,
        );
      }
      return [id, one];
    }),
  );
}

const unusable = (path: string | null, reason: string) =>
  new Error(`[inspector] known_accelerators = ${path}: ${reason}`);

// The file is read at each use, so that a changed file needs no restart
function listed(path: string): readonly Json[] {
  const content = contentOf(path);
  const list = isJsonObject(content) ? content['pci_devices'] : undefined;
  if (!Array.isArray(list)) throw unusable(path, 'expected a list under pci_devices');
  return list as readonly Json[];
}

function contentOf(path: string): unknown {
  try {
    return readYaml(path);
  } catch (error) {
    throw unusable(path, `expected a YAML file: ${reasonOf(error)}`);
  }
}
