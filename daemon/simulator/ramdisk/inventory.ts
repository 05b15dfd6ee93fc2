// The machine's inspection report.
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../model/json.ts';

const seen = JSON.parse(
  readFileSync(new URL('inspection-report.json', import.meta.url), 'utf8'),
) as JsonObject & {
  readonly inventory: JsonObject & {
    readonly interfaces: readonly JsonObject[];
    readonly system_vendor: JsonObject;
  };
};

/** The body of continue_inspection for a UEFI machine with one NIC. */
export function inspectionReport({
  mac,
  serialNumber,
}: {
  readonly mac: string;
  readonly serialNumber: string;
}): JsonObject {
  const [nic] = seen.inventory.interfaces;
  return {
    ...seen,
    boot_interface: mac,
    // as the collector of the daemon's ramdisk reports empty disks
    disk_contents: {},
    inventory: {
      ...seen.inventory,
      interfaces: [{ ...nic, mac_address: mac }],
      system_vendor: { ...seen.inventory.system_vendor, serial_number: serialNumber },
      boot: { current_boot_mode: 'uefi', pxe_interface: mac },
    },
  };
}
