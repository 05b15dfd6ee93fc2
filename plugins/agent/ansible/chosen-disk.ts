// The disk that an instance is written to: the smallest that matches the root device hints or, without hints, that has at
// least 4 GiB.
import { diskTest, fault, isJsonObject, type JsonObject, type Task } from '#plugin-api';
import { rootDeviceHints } from '../root-device.ts';

const SMALLEST_BYTES = 4 * 1024 ** 3;

/**
 * `hardware`: what the agent found. Returns a device such as /dev/sda. Throws InvalidParameter when the hints are invalid or no
 * disk is suitable.
 */
export function chosenDisk(task: Task, hardware: JsonObject): string {
  const given = rootDeviceHints(task);
  const disks = Array.isArray(hardware['disks']) ? hardware['disks'].filter(isJsonObject) : [];
  const fits = given
    ? diskTest(given.property, given.hints)
    : (disk: JsonObject) => sizeOf(disk) >= SMALLEST_BYTES;
  const [found] = disks.filter(fits).toSorted((a, b) => sizeOf(a) - sizeOf(b));
  if (typeof found?.['name'] === 'string') return found['name'];
  const seen = disks.map((disk) => `${JSON.stringify(disk['name'])} (${sizeOf(disk)} bytes)`).join(', ');
  throw fault('InvalidParameter', {
    name: 'root_device',
    reason: `no disk ${given ? `matches the hints ${JSON.stringify(given.hints)}` : 'has 4 GiB'}; the machine has ${seen || 'none'}`,
  });
}

const sizeOf = ({ size }: JsonObject): number => (typeof size === 'number' ? size : 0);
