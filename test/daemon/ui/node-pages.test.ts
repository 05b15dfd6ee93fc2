import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { timestamp } from '../../../daemon/lib/clock.ts';
import { ABLE_PLUGINS } from '../../fakes/daemon/able-session.ts';
import { type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import { get, submit } from '../../fakes/clients/page.ts';
import { TABS } from '../../../daemon/ui/views/node/tab-names.ts';

const ABLE = `enabled_hardware_types = ipmi,able-hardware
[plugins]
path = ${ABLE_PLUGINS}
`;

const tab = async (daemon: InProcessDaemon, node: string, name: string) =>
  (await get(daemon, `/ui/nodes/${node}${name === '' ? '' : `/${name}`}`)).text.replaceAll(/\s+/g, ' ');

const step = (name: string) => ({
  interface: 'deploy' as const,
  step: name,
  priority: 10,
  abortable: true,
  requires_ramdisk: true,
});

describe('the tabs of a machine', () => {
  it('have a page each, and other paths below a machine are not found', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    for (const [name, label] of TABS) {
      const text = await tab(daemon, uuid, name);
      assert.match(text, new RegExp(`aria-current="page" ?>${label}<`), name);
    }
    for (const place of ['nothing', 'work/more', 'logs/a/b', 'logs/missing.tar.gz'])
      assert.equal((await get(daemon, `/ui/nodes/${uuid}/${place}`)).status, 404, place);
  });

  it('say what the machine waits for, as do the rack and the view Work', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const since = '2026-11-22T10:00:00.000+00:00';
    daemon.services.db.nodes.update(uuid, {
      provision_state: 'clean wait',
      provision_updated_at: since,
      wait: { for: 'agent', reason: 'the end of step deploy.erase', since },
    });
    const page = (await tab(daemon, uuid, '')).replaceAll(/<[^>]*>/g, '');
    assert.match(
      page,
      /Waits for the end of step deploy\.erase, since 2026-11-22 10:00:00, until 2026-11-22 10:30:00 at the latest/,
    );
    for (const place of ['', 'work'])
      assert.match((await get(daemon, `/ui/${place}`)).text, /the end of step deploy\.erase\s*</, place);
  });

  it('show the next hop of a boot with its usual time after power-on, and say when it is late', async (t) => {
    const daemon = await startInProcess(t);
    const { services, clock } = daemon;
    const { uuid } = await daemon.createNode();
    for (const seconds of [69, 70, 71]) services.workTimes.store(uuid, ['boot dhcp', seconds]);
    services.db.nodes.update(uuid, { provision_state: 'clean wait' });
    services.timeline.record({ hop: 'power', node: uuid, text: 'power changed: power on' });
    await clock.advance(50_000);
    const waiting = await tab(daemon, uuid, '');
    assert.match(
      waiting,
      /Next: <strong>dhcp<\/strong>, usually 70 s after power-on\. Power-on was 50 s ago/,
    );
    assert.doesNotMatch(waiting, />late</);
    await clock.advance(550_000);
    assert.match(await tab(daemon, uuid, ''), />late</);
    assert.match(await tab(daemon, uuid, ''), /class="missing".*>no dhcp<\/text>/);
    services.db.nodes.update(uuid, {
      provision_state: 'clean failed',
      provision_updated_at: timestamp(clock.now()),
      last_error: 'no DHCP request',
    });
    await clock.advance(86_400_000);
    const failed = await tab(daemon, uuid, '');
    assert.match(failed, /aria-label="firmware 10:00; dhcp is missing"/);
    assert.match(failed, /class="failed" x="0\.00%"/);
    const { text, headers } = await get(daemon, `/ui/nodes/${uuid}/timeline.txt`);
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(text, /power +power changed: power on\n/);
  });

  it('show the steps that are done, under way and next, with their usual times', async (t) => {
    const daemon = await startInProcess(t);
    const { services, clock } = daemon;
    const { uuid } = await daemon.createNode();
    services.db.nodes.update(uuid, {
      provision_state: 'clean wait',
      clean_step: step('two'),
      driver_internal_info: { clean_steps: ['one', 'two', 'three'].map(step), clean_step_index: 1 },
    });
    for (const seconds of [20, 30, 40]) services.workTimes.store(uuid, ['clean deploy.two', seconds]);
    services.workTimes.beginStep(uuid, 'clean deploy.two');
    await clock.advance(100_000);
    const text = await tab(daemon, uuid, 'work');
    assert.match(text, /deploy\.one<\/strong> .{0,200}>done</);
    assert.match(
      text,
      /deploy\.two<\/strong> .*>runs<.* 100 s<small>, usually 30 s<\/small> <span class="badge attention">late</,
    );
    assert.match(text, /deploy\.three<\/strong> .*>next</);
    const work = (await get(daemon, '/ui/work')).text.replaceAll(/\s+/g, ' ');
    assert.match(work, />1 late</);
    assert.match(work, /clean deploy\.two/);
  });

  it('list the ramdisk logs of this machine only, and offer them for download', async (t) => {
    const daemon = await startInProcess(t);
    const [{ uuid }, other] = [await daemon.createNode(), await daemon.createNode()];
    const directory = daemon.services.config.agent.deploy_logs_local_path;
    assert.match(await tab(daemon, uuid, 'logs'), /No log is saved/);
    mkdirSync(directory, { recursive: true });
    const [own, foreign] = [`${uuid}_cleaning_2026.tar.gz`, `${other.uuid}_cleaning_2026.tar.gz`];
    writeFileSync(path.join(directory, own), 'own log');
    writeFileSync(path.join(directory, foreign), 'foreign log');
    const text = await tab(daemon, uuid, 'logs');
    assert.deepEqual([text.includes(own), text.includes(foreign)], [true, false]);
    const sent = await get(daemon, `/ui/nodes/${uuid}/logs/${own}`);
    assert.deepEqual([sent.status, sent.text], [200, 'own log']);
    assert.match(sent.headers.get('content-disposition') ?? '', /^attachment/);
    for (const file of [foreign, `..%2Fironic.conf`, `${uuid}_..%2F..%2Fironic.conf`])
      assert.equal((await get(daemon, `/ui/nodes/${uuid}/logs/${file}`)).status, 404, file);
  });

  it('show the newest readings of sensors, problems first, and the rack names the sensors with problems too', async (t) => {
    const daemon = await startInProcess(t, { ini: '[sensor_data]\nsend_sensor_data = true\n' });
    const { uuid } = await daemon.createNode();
    const fan = { type: 'Fan', unit: 'rpm', fields: {} } as const;
    const sensors = [
      { ...fan, id: 'Fan 1', reading: 4800, health: 'OK' },
      { ...fan, id: 'Fan 2', reading: 310, health: 'Critical' },
    ] as const;
    daemon.services.sensors.record({ node: daemon.node(uuid), at: daemon.clock.now(), sensors });
    const text = await tab(daemon, uuid, 'sensors');
    assert.match(text, /2 sensors.*1 with a problem.*Fan 2.*Critical.*310 rpm.*Fan 1/);
    assert.match((await get(daemon, '/ui/')).text, /Fan 2 Critical/);
  });

  it('switch an indicator, and say why one cannot be switched', async (t) => {
    const daemon = await startInProcess(t, { ini: ABLE });
    const { uuid } = await daemon.createNode({ driver: 'able-hardware' });
    const set = (state: string) =>
      submit(daemon, '/ui/indicators', [
        ['node', uuid],
        ['indicator', 'uid@chassis'],
        ['state', state],
      ]);
    const row = /uid@chassis<\/strong> (\w+)/;
    assert.match(await tab(daemon, uuid, 'indicators'), /aria-label="Set uid@chassis to blinking"/);
    const done = await set('blinking');
    assert.deepEqual([done.status, done.location], [303, `/ui/nodes/${uuid}/indicators`]);
    assert.equal(row.exec(await tab(daemon, uuid, 'indicators'))?.[1], 'blinking');
    assert.match((await set('purple')).text, /Not possible.*purple/s);
    const bare = await daemon.createNode({ driver: 'ipmi' });
    assert.match(await tab(daemon, bare.uuid, 'indicators'), /class="notice broken"/);
  });

  it('show the end of what the machine wrote on its serial console, without its control characters', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    assert.match(await tab(daemon, uuid, 'console'), /has shown nothing yet/);
    const directory = path.join(daemon.stateDirectory, 'consoles');
    mkdirSync(directory, { recursive: true });
    const text = `first${'.'.repeat(40_000)}\u001B[31mlogin: <b>`;
    writeFileSync(path.join(directory, `${uuid}.log`), text);
    const shown = await tab(daemon, uuid, 'console');
    assert.match(shown, /\.login: &lt;b&gt;<\/pre>/);
    assert.doesNotMatch(shown, /first/);
  });

  it('link to the page of the BMC that shows the screen, and say when there is no console', async (t) => {
    const daemon = await startInProcess(t, { ini: 'enabled_hardware_types = redfish,fake-hardware\n' });
    const driver_info = {
      redfish_address: 'https://192.0.2.7',
      redfish_username: 'a',
      redfish_password: 'b',
    };
    const { uuid } = await daemon.createNode({ driver: 'redfish', driver_info });
    const enabled = await tab(daemon, uuid, 'console');
    assert.match(enabled, /The console is disabled/);
    daemon.services.db.nodes.update(uuid, { console_enabled: true });
    const shown = await tab(daemon, uuid, 'console');
    assert.match(shown, /shows the screen .*<a href="https:\/\/192\.0\.2\.7" target="_blank"/s);
    assert.doesNotMatch(shown, /data-serial/);
    const none = await daemon.createNode({ driver: 'fake-hardware', console_interface: 'no-console' });
    assert.match(await tab(daemon, none.uuid, 'console'), /This machine has no console/);
  });

  it('show the disks and the whole inventory of the last inspection, even when its network cards are not a list', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    assert.match(await tab(daemon, uuid, 'hardware'), /Not inspected yet/);
    const inventory = {
      cpu: { model_name: 'Xeon', architecture: 'x86_64', count: 64 },
      memory: { physical_mb: 262_144 },
      disks: [{ name: '/dev/nvme0n1', size: 960_197_124_096, serial: 'S4' }],
      interfaces: 'not a list',
    };
    const stored = { inventory: JSON.stringify(inventory), plugin_data: '{}' };
    daemon.services.db.inventory.put(uuid, 'now', stored);
    const text = await tab(daemon, uuid, 'hardware');
    assert.match(text, /nvme0n1.*960 GB.*S4/);
    assert.match(text, /&quot;model_name&quot;: &quot;Xeon&quot;/);
  });

  it('offer the node, its ports and its timeline for download in one file with the secrets masked', async (t) => {
    const daemon = await startInProcess(t);
    const driver_info = { ipmi_address: '192.0.2.9', ipmi_password: 'hunter2' };
    const { uuid } = await daemon.createNode({ driver: 'ipmi', driver_info });
    await daemon.createPort(uuid, '52:54:00:00:00:01');
    daemon.services.timeline.record({ hop: 'power', node: uuid, text: 'power changed: power on' });
    const { text, headers } = await get(daemon, `/ui/nodes/${uuid}/bundle`);
    assert.match(headers.get('content-disposition') ?? '', new RegExp(`${uuid}\\.json$`));
    const { node, ports, timeline } = JSON.parse(text) as Record<string, readonly object[]>;
    assert.deepEqual([ports?.length, timeline?.length], [1, 1]);
    assert.match(JSON.stringify(node), /192\.0\.2\.9/);
    assert.doesNotMatch(text, /hunter2/);
  });
});
