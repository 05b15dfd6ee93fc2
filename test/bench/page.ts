// Prints how long the page for browsers (/ui/) takes with many machines: daemon/cli/node test/bench/page.ts [MACHINES]
// Each answer of the daemon is also printed as a share of its limit, which is 300 ms for 1,000 machines.
import { randomUUID } from 'node:crypto';
import { timestamp } from '../../daemon/lib/clock.ts';
import { hardwareIn } from '../../daemon/model/hardware/hardware.ts';
import { initialNode } from '../../daemon/model/records/node.ts';
import { startBrowser, withoutBrowser } from '../fakes/clients/browser.ts';
import { collectEndings } from '../fakes/endings.ts';
import { startListening } from '../fakes/daemon/listening-daemon.ts';

const machines = Number(process.argv[2] ?? 1000);
const LIMIT_MILLISECONDS = 300;
const ROUNDS = 10;
const endings = collectEndings();

const DISK = { id: null, bytes: 1.92e12, kind: 'nvme' } as const;
const SEEN = {
  source: 'agent',
  compared_with: null,
  compared: [],
  changes: [],
  hardware: {
    ...hardwareIn({}, {}).hardware,
    cores: 32,
    memory_mib: 262_144,
    disks: Array.from({ length: 8 }, () => DISK),
  },
} as const;
const SENSORS = [
  { type: 'Power', id: 'PowerControl.0', reading: 210, unit: 'watts', health: 'OK', fields: {} },
  { type: 'Temperature', id: 'Inlet', reading: 22, unit: 'celsius', health: 'OK', fields: {} },
] as const;

async function milliseconds(what: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  const [middle = 0, most = 0] = [times[ROUNDS / 2], times.at(-1)];
  const share = what.startsWith('the daemon')
    ? `, ${(middle / LIMIT_MILLISECONDS).toFixed(2)} of the limit`
    : '';
  console.log(what.padEnd(40), `median ${middle.toFixed(0)} ms, at most ${most.toFixed(0)} ms${share}`);
}

try {
  const { url, services } = await startListening(endings, {});
  const { db } = services;
  const uuids = Array.from({ length: machines }, () => randomUUID());
  db.transaction(() => {
    for (const [at, uuid] of uuids.entries()) {
      const created = timestamp(Date.now());
      const extra = { rack: `rack ${Math.floor(at / 40)}`, unit: at % 40 };
      const instance_info = { image_source: 'debian-13' };
      const driver_info = { ipmi_address: `192.0.2.${at % 250}` };
      const node = {
        uuid,
        name: `machine-${at}`,
        driver: 'ipmi',
        extra,
        driver_info,
        instance_info,
        created_at: created,
      };
      db.nodes.insert(
        initialNode({ ...node, updated_at: created, last_error: at % 10 ? null : 'No answer.' }),
      );
      const inventory = {
        system_vendor: { serial_number: `S${at}` },
        disks: Array.from({ length: 200 }, (_, disk) => ({ name: `/dev/sd${disk}` })),
      };
      db.hardware.put({ ...SEEN, node_uuid: uuid, inspected_at: created });
      services.sensors.record({
        node: { uuid, name: node.name, driver: 'ipmi', instance_uuid: null },
        at: Date.now(),
        sensors: SENSORS,
      });
      db.inventory.put(uuid, created, { inventory: JSON.stringify(inventory), plugin_data: '{}' });
    }
  });
  const text = async (path: string) => (await fetch(`${url}${path}`)).text();
  console.log(`${machines} machines, ${Math.round((await text('/ui/')).length / 1024)} KiB of HTML`);
  await milliseconds('the daemon sends the machines', () => text('/ui/'));
  await milliseconds('the daemon sends them in groups', () => text('/ui/?group=state&sort=-power'));
  await milliseconds('the daemon sends one row', () => text(`/ui/?changed=${uuids[5]}`));
  await milliseconds('the daemon finds a serial number', () => text('/ui/?q=S777'));
  if (withoutBrowser === false) {
    const page = await (await startBrowser(endings)).newPage();
    await milliseconds('Chromium shows the machines', () => page.goto(`${url}/ui/`));
    await page.getByText('live', { exact: true }).waitFor();
    let change = 0;
    await milliseconds('a change is on the screen', async () => {
      const maintenance_reason = `change ${(change += 1)}.`;
      db.nodes.update(uuids[5] ?? '', { maintenance: change % 2 === 1, maintenance_reason });
      const shown = page.locator(`#node-${uuids[5]}`).getByText(maintenance_reason);
      await shown.waitFor({ state: change % 2 === 1 ? 'visible' : 'detached' });
    });
  } else console.log(`no browser: ${withoutBrowser}`);
} finally {
  await endings.end();
}
