// Where the code of a plugin from outside the tree runs, for every group of entry points that a manifest can have.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../daemon/lib/clock.ts';
import { silentLog } from '../../../../daemon/lib/logger.ts';
import { initialNode } from '../../../../daemon/model/records/node.ts';
import type { DriverInterface, InspectionDraft } from '../../../../daemon/plugin-api/index.ts';
import { rehearsalTask } from '../../../../daemon/plugin-kit/rehearsal.ts';
import { nodeDraftOf } from '../../../../daemon/plugin-host/contract/node-draft.ts';
import type { IsolatedHook } from '../../../../daemon/plugin-host/hook-phases.ts';
import { draftBytes, takeResult } from '../../../../daemon/plugin-host/isolation/border/draft-traffic.ts';
import { PluginProcesses } from '../../../../daemon/plugin-host/isolation/plugin-processes.ts';
import { discoverPlugins } from '../../../../daemon/plugin-host/manifests/discover.ts';
import { createEntryPoints, type Loaded } from '../../../../daemon/plugin-host/manifests/entry-points.ts';
import type { EntryPointGroup } from '../../../../daemon/plugin-host/manifests/manifest.ts';
import { manifestSchema } from '../../../../daemon/plugin-host/manifests/manifest-schema.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

/**
 * A plugin that shows the ID of its process: the interface `acme`, which fits every interface type, adds a note with the ID, and
 * `hook` writes the ID to `extra`.
 */
const code = `globalThis.wasLoadedHere = true;
export const acme = {
  properties: {}, supportedTargets: [], supportsPowerSync: false,
  validate: (task) => task.addNote(String(process.pid)),
  async getPowerState() {}, async setPowerState() {}, async inspectHardware() {},
  async supportedBootDevices() {}, async getBootDevice() {}, async setBootDevice() {},
};
export const driver = { power: acme };
export const hook = { call(draft) { draft.node.extra.process = process.pid; } };
`;

const exportOf: Readonly<Record<string, string>> = {
  'ironic.drivers': 'driver',
  'ironic.inspection.hooks': 'hook',
};

// read from the schema, so that a group that is added there is tested too
const { properties } = manifestSchema as unknown as {
  readonly properties: {
    readonly entryPoints: { readonly properties: Readonly<Record<EntryPointGroup, object>> };
  };
};
const groups = Object.keys(properties.entryPoints.properties) as readonly EntryPointGroup[];

function entryPoints(t: TestContext) {
  const entries = groups.map((group) => [group, { acme: `./acme.js:${exportOf[group] ?? 'acme'}` }]);
  const path = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', { entryPoints: Object.fromEntries(entries) as object }),
    'acme/acme.js': code,
  });
  const processes = new PluginProcesses({
    configuration: {},
    memoryMebibytes: 128,
    clock: systemClock,
    log: silentLog,
  });
  t.after(() => processes.close());
  return createEntryPoints(discoverPlugins([path]), processes);
}

async function processOfInterface(one: DriverInterface): Promise<number> {
  const task = rehearsalTask();
  await one.validate(task);
  return Number(/^add note: (\d+)$/.exec(task.done[0] ?? '')?.[1]);
}

async function processOfHook(hook: IsolatedHook): Promise<number> {
  const draft: InspectionDraft = {
    inventory: {},
    previousInventory: undefined,
    pluginData: {},
    node: nodeDraftOf(initialNode({ uuid: '11111111-2222-4333-8444-555555555555' })),
    ports: [],
    configuration: {},
    warn() {},
  };
  const result = await hook.call?.(draftBytes(draft), new AbortController().signal);
  takeResult(result ?? new Uint8Array(), draft);
  return Number(draft.node.extra['process']);
}

function processOf(group: EntryPointGroup, { value }: Loaded): Promise<number> {
  if (group === 'ironic.inspection.hooks') return processOfHook(value);
  if (group === 'ironic.drivers')
    return processOfInterface((value as { readonly power: DriverInterface }).power);
  return processOfInterface(value as DriverInterface);
}

test('the entry points of all groups run in processes of their plugin: hooks in one of their own, all others in one', async (t) => {
  const points = entryPoints(t);
  const pids = new Set<number>();
  const ofHooks = new Set<number>();
  for (const group of groups) {
    const pid = await processOf(group, await points.load(group, 'acme', 'a test'));
    t.diagnostic(`${group}: process ${pid}, the daemon's is ${process.pid}`);
    assert.ok(Number.isSafeInteger(pid) && pid !== process.pid, group);
    (group === 'ironic.inspection.hooks' ? ofHooks : pids).add(pid);
  }
  assert.equal(groups.length, 15);
  assert.equal(pids.size, 1);
  assert.equal(ofHooks.size, 1);
  assert.equal(pids.isDisjointFrom(ofHooks), true);
  assert.equal('wasLoadedHere' in globalThis, false);
});
