// The machine's inspection report.
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../model/json.ts';

const seen = JSON.parse(
  readFileSync(new URL('inspection-report.json', import.meta.url), 'utf8'),
) as JsonObject & { readonly inventory: JsonObject & { readonly interfaces: readonly JsonObject[] } };

/** The body of continue_inspection for a UEFI machine with one NIC. */
export function inspectionReport(mac: string): JsonObject {
  const [nic] = seen.inventory.interfaces;
  return {
    ...seen,
    boot_interface: mac,
    inventory: {
      ...seen.inventory,
      interfaces: [{ ...nic, mac_address: mac }],
      boot: { current_boot_mode: 'uefi', pxe_interface: mac },
    },
  };
}
