import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { get, submit } from '../../../fakes/clients/page.ts';

const MAC = '52:54:00:aa:01:02';

async function withUnknownMachine(t: Parameters<typeof startInProcess>[0]) {
  const daemon = await startInProcess(t);
  daemon.services.timeline.record({ hop: 'dhcp', mac: MAC, text: 'asked for an address' });
  return daemon;
}

const form = (given: Readonly<Record<string, string>>) => [
  ['machine', MAC] as const,
  ...Object.entries(given).map(([name, value]) => [name, value] as const),
];
const enrol = (daemon: InProcessDaemon, given: Readonly<Record<string, string>>) =>
  submit(daemon, '/ui/add/unknown', form(given));
const nodesOf = async (daemon: InProcessDaemon) =>
  (await daemon.request('GET', '/v1/nodes')).body.nodes.length;

describe('the discovered machines', () => {
  it('enrols an unknown machine with its BMC and its network card', async (t) => {
    const daemon = await withUnknownMachine(t);
    assert.match(
      (await get(daemon, '/ui/add/discovered')).text,
      /unknown\?machine=52%3A54%3A00%3Aaa%3A01%3A02/,
    );
    assert.match((await get(daemon, `/ui/add/unknown?machine=${MAC}`)).text, /<option value="ipmi"/);
    const given = {
      name: 'rack1-07',
      driver: 'ipmi',
      address: '192.0.2.7',
      username: 'admin',
      password: 's3cret',
    };
    const { status, location } = await enrol(daemon, given);
    assert.equal(status, 303);
    const node = daemon.node(location.slice('/ui/nodes/'.length));
    assert.deepEqual(node.driver_info, {
      ipmi_address: '192.0.2.7',
      ipmi_username: 'admin',
      ipmi_password: 's3cret',
    });
    assert.deepEqual([node.name, node.provision_state], ['rack1-07', 'enroll']);
    assert.deepEqual(
      daemon.services.db.ports.ofNode(node.uuid).map(({ address }) => address),
      [MAC],
    );
    assert.match((await get(daemon, '/ui/add/discovered')).text, /Nothing waits for you/);
  });

  it('shows the form again, with all that was entered except the password, when the node is refused', async (t) => {
    const daemon = await withUnknownMachine(t);
    const given = { name: 'not a name!', driver: 'ipmi', address: '192.0.2.7', password: 's3cret' };
    const { status, text } = await enrol(daemon, given);
    assert.equal(status, 200);
    assert.match(text, /role="alert"/);
    assert.match(text, /value="192\.0\.2\.7"/);
    assert.doesNotMatch(text, /s3cret/);
    assert.equal(await nodesOf(daemon), 0);
    const unfit = await enrol(daemon, { driver: 'fake-hardware', address: '192.0.2.7' });
    assert.match(unfit.text, /the driver fake-hardware takes none/);
    assert.match((await enrol(daemon, { driver: 'nothing' })).text, /role="alert"/);
    assert.equal(await nodesOf(daemon), 0);
  });

  it('leaves no node behind when the port is refused', async (t) => {
    const daemon = await withUnknownMachine(t);
    const { uuid } = await daemon.createNode();
    await daemon.createPort(uuid, MAC);
    assert.match((await enrol(daemon, { driver: 'ipmi' })).text, /role="alert"/);
    assert.equal(await nodesOf(daemon), 1);
  });

  it('hides a machine while it is ignored', async (t) => {
    const daemon = await withUnknownMachine(t);
    const ignore = (ignored: string) => submit(daemon, '/ui/add/unknown/ignore', form({ ignored }));
    assert.equal((await ignore('true')).location, '/ui/add/discovered');
    const hidden = (await get(daemon, '/ui/add/discovered')).text;
    assert.match(hidden, /1 ignored machine/);
    assert.doesNotMatch(hidden, /add\/unknown\?/);
    const listed = await daemon.request('GET', '/v1/unknown_machines');
    assert.match(listed.text, /"ignored":true/);
    await ignore('false');
    assert.match((await get(daemon, '/ui/add/discovered')).text, /add\/unknown\?/);
  });

  it('cannot ignore a machine that was never seen', async (t) => {
    const daemon = await startInProcess(t);
    const path = `/v1/unknown_machines/${MAC}`;
    assert.equal((await daemon.request('PUT', path, { body: { ignored: true } })).status, 404);
  });
});
