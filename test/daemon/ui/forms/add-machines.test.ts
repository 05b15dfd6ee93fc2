import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { get, submit } from '../../../fakes/clients/page.ts';

const nodesOf = (daemon: InProcessDaemon) => daemon.services.db.nodes.where({ sql: '1', values: [] });
const send = (daemon: InProcessDaemon, place: string, fields: Readonly<Record<string, string>>) =>
  submit(daemon, place, Object.entries(fields));

describe('the form that adds a machine by its BMC', () => {
  it('stores nothing when the test fails, says why, and keeps what was typed except the password', async (t) => {
    const daemon = await startInProcess(t);
    const given = { address: '127.0.0.1', username: 'root', password: 's3cret', name: 'web-1', do: 'add' };
    const { status, text } = await send(daemon, '/ui/add', given);
    assert.equal(status, 200);
    assert.match(text, /role="alert"[^]*Nothing answers at 127\.0\.0\.1/);
    assert.match(text, /value="web-1"/);
    assert.doesNotMatch(text, /s3cret/);
    assert.match(
      (await send(daemon, '/ui/add', { ...given, address: '' })).text,
      /give the address of the BMC/,
    );
    assert.equal(nodesOf(daemon).length, 0);
  });

  it('adds a machine untested when it is told so, with its class, and lets it go on', async (t) => {
    const daemon = await startInProcess(t);
    const { status, location } = await send(daemon, '/ui/add', {
      address: '192.0.2.7',
      username: 'root',
      password: 's3cret',
      driver: 'ipmi',
      name: 'web-1',
      resource_class: 'web',
      untested: 'true',
      goes_on: 'true',
      do: 'add',
    });
    assert.equal(status, 303);
    const node = daemon.node(location.slice('/ui/nodes/'.length));
    assert.deepEqual(node.driver_info, {
      ipmi_address: '192.0.2.7',
      ipmi_username: 'root',
      ipmi_password: 's3cret',
    });
    assert.deepEqual(
      [node.name, node.resource_class, node.driver_internal_info.goes_on],
      ['web-1', 'web', true],
    );
  });

  it('says why the API refuses the machine', async (t) => {
    const daemon = await startInProcess(t);
    const { text } = await send(daemon, '/ui/add', {
      address: '192.0.2.7',
      driver: 'ipmi',
      name: 'no name!',
      untested: 'true',
      do: 'add',
    });
    assert.match(text, /role="alert"[^]*no name!/);
    assert.equal(nodesOf(daemon).length, 0);
  });
});

const LIST = `name,address,user,password,class,rack,unit,height,mac
web-1,10.0.9.11,root,s3cret,web,R1,1,2,525400000001
web-2,10.0.9.12,root,s3cret,web,R1,3,,52-54-00-00-00-02`;

const many = (daemon: InProcessDaemon, list: string, fields: Readonly<Record<string, string>> = {}) =>
  send(daemon, '/ui/add/many', { list, driver: 'ipmi', ...fields });

describe('the form that adds many machines', () => {
  it('shows what each line becomes, stores nothing before it is told to, and then all of them with their ports', async (t) => {
    const daemon = await startInProcess(t);
    const { text } = await many(daemon, LIST, { do: 'check' });
    assert.match(text, /2 of 2 machines can be added/);
    assert.equal(nodesOf(daemon).length, 0);
    const { status, location } = await many(daemon, LIST, { do: 'add' });
    assert.deepEqual([status, location], [303, '/ui/']);
    const [first, second] = nodesOf(daemon);
    assert.deepEqual(
      [first?.name, first?.resource_class, first?.extra],
      ['web-1', 'web', { rack: 'R1', unit: 1, height: 2 }],
    );
    assert.deepEqual(second?.extra, { rack: 'R1', unit: 3 });
    assert.deepEqual(
      daemon.services.db.ports.ofNode(first?.uuid ?? '').map(({ address }) => address),
      ['52:54:00:00:00:01'],
    );
    const again = (await many(daemon, LIST, { do: 'add' })).text;
    assert.match(again, /A node has the name web-1 already/);
    assert.match(again, /The BMC at 10\.0\.9\.12 belongs to node web-2 already/);
    assert.match(again, /A port has the MAC address 52:54:00:00:00:01 already/);
    assert.equal(nodesOf(daemon).length, 2);
  });

  it('names each problem in its line, and adds the right ones only when the visitor leaves the wrong ones out', async (t) => {
    const daemon = await startInProcess(t);
    const list = `name,address,driver,unit,mac,user
good,10.0.9.1,,1,,
good,10.0.9.1,,2,,
bad name!,10.0.9.3,,0,zz,
c,not an address,,x,,
d,10.0.9.4,nodriver,1,ff:ff:ff:ff:ff:ff,
e,10.0.9.5,,1,,root`;
    const { text } = await many(daemon, list, { do: 'add' });
    for (const problem of [
      /name good is also in line 2/,
      /address 10\.0\.9\.1 is also in line 2/,
      /bad name!/,
      /unit &quot;0&quot;: expected a whole number/,
      /&quot;zz&quot; is not the MAC address/,
      /&quot;not an address&quot;: expected an IP address/,
      /driver &quot;nodriver&quot;: expected one of/,
      /ff:ff:ff:ff:ff:ff&quot; is not the MAC address of a network card/,
      /The user has no password/,
    ])
      assert.match(text, problem);
    assert.equal(nodesOf(daemon).length, 0, 'one wrong line, and nothing is stored');
    assert.equal((await many(daemon, list, { do: 'add-right' })).status, 303);
    assert.deepEqual(
      nodesOf(daemon).map(({ name }) => name),
      ['good'],
    );
  });

  it('takes back what it has stored when the API refuses a later machine', async (t) => {
    const daemon = await startInProcess(t, { ini: '[zero_touch]\nbmc_networks = 10.0.9.0/24\n' });
    await daemon.request('POST', '/v1/expected_machines', { body: { serial_number: 'S1', name: 'one' } });
    await daemon.request('POST', '/v1/expected_machines', {
      body: { serial_number: 'S2', bmc_mac: '52:54:00:00:00:09' },
    });
    const list = 'name,address,serial,bmc_mac\nweb-1,10.0.9.11,,\nx,,S1,52:54:00:00:00:09';
    const { text } = await many(daemon, list, { do: 'add' });
    assert.match(text, /role="alert"[^]*Nothing was added\./);
    assert.equal(nodesOf(daemon).length, 0);
  });

  it('makes expected machines of those without an address', async (t) => {
    const daemon = await startInProcess(t, { ini: '[zero_touch]\nbmc_networks = 10.0.9.0/24\n' });
    const list =
      'Service Tag;BMC user;BMC password;class;rack;unit\nS7;root;calvin;web;R1;4\n;root;calvin;web;R1;5';
    const { text } = await many(daemon, list, { do: 'check' });
    assert.match(text, /must be recognised when it is found/);
    assert.equal((await many(daemon, list, { do: 'add-right' })).location, '/ui/add/discovered');
    const [machine] = daemon.services.db.expectedMachines.where({ sql: '1', values: [] });
    assert.deepEqual(
      [machine?.serial_number, machine?.bmc_password, machine?.resource_class, machine?.unit],
      ['S7', 'calvin', 'web', 4],
    );
  });

  it('refuses a form that is too large, and shows the form again for a list that is none', async (t) => {
    const daemon = await startInProcess(t);
    assert.equal((await many(daemon, 'x'.repeat(300_000))).status, 413);
    assert.match(
      (await many(daemon, 'PK\u0003\u0000', { do: 'add' })).text,
      /role="alert"[^]*This is no text/,
    );
    assert.match((await get(daemon, '/ui/add/many')).text, /Check the list/);
  });
});
