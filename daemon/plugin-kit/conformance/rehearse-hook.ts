// Runs an inspection hook on the inventory of an ordinary machine, an empty inventory, and many with unsuitable values.
import { deepFreeze } from '../../lib/json/deep-freeze.ts';
import { examinable, reasonOf } from '../../model/faults.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { initialNode } from '../../model/records/node.ts';
import { type InspectionDraft, InspectionError, type InspectionHook } from '../../plugin-api/index.ts';
import { createDraftCheck } from '../../plugin-host/contract/draft-check.ts';
import { nodeDraftOf } from '../../plugin-host/contract/node-draft.ts';
import { hostileValues } from './sample-values.ts';

const server: JsonObject = {
  bmc_address: '192.0.2.1',
  boot: { current_boot_mode: 'uefi', pxe_interface: '52:54:00:12:34:56' },
  cpu: { architecture: 'x86_64', count: 4, model_name: 'A processor', frequency: '2400', flags: ['vmx'] },
  disks: [
    { name: '/dev/sda', size: 500_107_862_016, rotational: false, serial: 'S1', wwn: null, hctl: '0:0:0:0' },
  ],
  interfaces: [
    {
      name: 'eth0',
      mac_address: '52:54:00:12:34:56',
      ipv4_address: '192.0.2.10',
      has_carrier: true,
      lldp: [],
    },
  ],
  memory: { physical_mb: 8192, total: 8_589_934_592 },
  system_vendor: { manufacturer: 'A maker', product_name: 'A model', serial_number: 'X1' },
};

/** Inventories, each with a description of the machine for messages. */
const reports: readonly (readonly [about: string, inventory: JsonObject])[] = [
  ['an ordinary machine', server],
  ['an empty inventory', {}],
  ...Object.keys(server).flatMap((part) =>
    hostileValues.map((value): readonly [string, JsonObject] => [
      `a machine whose ${part} is ${shown(value)}`,
      { ...server, [part]: value as Json },
    ]),
  ),
];

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 40);
}

/** Returns a sentence for each breach of the contract, at most three. */
export function rehearseHook(
  hook: InspectionHook,
  configuration: InspectionDraft['configuration'],
): readonly string[] {
  const problems = reports.flatMap(([about, inventory]) => {
    const problem = problemWith(hook, draftOf(inventory, configuration));
    return problem === undefined ? [] : [`with ${about}: ${problem}`];
  });
  // further problems mostly repeat the first ones
  return problems.slice(0, 3);
}

function problemWith(hook: InspectionHook, draft: InspectionDraft): string | undefined {
  const refuseUnfit = createDraftCheck(draft);
  try {
    for (const phase of ['preprocess', 'call'] as const) {
      const result: unknown = hook[phase]?.(draft);
      if (result instanceof Promise) {
        result.catch(() => undefined);
        return 'it returned a promise; hooks must be synchronous';
      }
    }
  } catch (thrown) {
    const error = examinable(thrown);
    if (error instanceof InspectionError) return undefined;
    const kind = error instanceof Error ? error.name : 'something';
    return `it threw ${kind}: ${reasonOf(error)}; throw an InspectionError to report a problem to the operator`;
  }
  try {
    refuseUnfit();
    return undefined;
  } catch (error) {
    return `it left a draft that would be refused: ${reasonOf(error)}`;
  }
}

function draftOf(inventory: JsonObject, configuration: InspectionDraft['configuration']): InspectionDraft {
  return {
    inventory: deepFreeze(structuredClone(inventory)),
    previousInventory: undefined,
    pluginData: {},
    node: nodeDraftOf(initialNode({ uuid: '11111111-2222-4333-8444-555555555555' })),
    ports: [],
    configuration,
    warn() {},
  };
}
