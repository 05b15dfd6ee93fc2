// A file for `baremetal create`, given to the real client and to ironic-edge.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baremetalShell } from '../../fakes/clients/baremetal-client.ts';
import { fileWith } from '../../fakes/file-with.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../fakes/clients/run-process.ts';
import { newestPython, skipWithoutNewestClient } from '../../setup/newest-client.ts';

const RACK = `
chassis:
  - description: left
    extra: {row: 3}
    nodes:
      - name: a
        driver: fake-hardware
        traits: [CUSTOM_FAST, HW_CPU_X86_VMX]
        ports:
          - address: "52:54:00:00:00:01"
nodes:
  - name: b
    driver: fake-hardware
    driver_info: {fake: 1}
    properties: {cpus: 8}
    ports:
      - {address: "52:54:00:00:00:02", pxe_enabled: false}
    portgroups:
      - name: bond
        mode: 802.3ad
        ports:
          - address: "52:54:00:00:00:03"
`;

type Shown = Readonly<Record<string, unknown>>;

const labelOf = ({ name, address, description }: Shown) => String(name ?? address ?? description);

/**
 * All chassis, nodes, port groups and ports. Labels replace UUIDs. Fields that hold times are left out, and so are fields that hold
 * lists, except `traits`.
 */
async function recordsOf(url: string): Promise<readonly Shown[]> {
  const all: Shown[] = [];
  for (const list of ['chassis', 'nodes', 'portgroups', 'ports']) {
    const headers = { 'openstack-api-version': 'baremetal 1.90' };
    const reply = (await (await fetch(`${url}/v1/${list}/detail`, { headers })).json()) as Record<
      string,
      Shown[]
    >;
    all.push(...(reply[list] ?? []).toSorted((a, b) => (labelOf(a) < labelOf(b) ? -1 : 1)));
  }
  const names = new Map(all.map((record) => [record['uuid'], labelOf(record)]));
  return all.map((record) =>
    Object.fromEntries(
      Object.entries(record)
        .filter(([field, value]) => !(Array.isArray(value) && field !== 'traits') && !field.endsWith('_at'))
        .map(([field, value]) => [field, names.get(value) ?? value]),
    ),
  );
}

test(
  'the real client and ironic-edge create the same records from one file',
  {
    skip: skipWithoutNewestClient(),
  },
  async (t) => {
    const file = fileWith(t, 'rack.yaml', RACK);
    const [theirs, ours] = [await startListening(t, {}), await startListening(t, {})];
    await using client = baremetalShell(theirs.url, newestPython);
    await client.done(`create ${file}`);
    const { code, out } = await runProcess(ours.url, ['create', file]);
    assert.equal(code, 0, out);
    const created = await recordsOf(ours.url);
    assert.deepEqual(created, await recordsOf(theirs.url));
    assert.deepEqual(
      created.map((record) => [
        labelOf(record),
        record['chassis_uuid'],
        record['node_uuid'],
        record['portgroup_uuid'],
      ]),
      [
        ['left', undefined, undefined, undefined],
        ['a', 'left', undefined, undefined],
        ['b', null, undefined, undefined],
        ['bond', undefined, 'b', undefined],
        ['52:54:00:00:00:01', undefined, 'a', null],
        ['52:54:00:00:00:02', undefined, 'b', null],
        ['52:54:00:00:00:03', undefined, 'b', 'bond'],
      ],
    );
  },
);
