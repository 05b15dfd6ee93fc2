import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import { serveImages } from '../../../../daemon/conductor/images/serve-images.ts';
import { serveBoots } from '../../../fakes/boot/boot-http.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const ini = `enabled_hardware_types = redfish
[conductor]
image_server_networks = 127.0.0.0/8
`;

/** Starts a BIOS update of a new node; returns the node's UUID when the BMC has got the request or the step has failed. */
async function updated(daemon: InProcessDaemon, address: string, url: string): Promise<string> {
  const { uuid } = await daemon.createNode({
    driver: 'redfish',
    driver_info: { redfish_address: address, redfish_username: 'admin', redfish_password: 'secret' },
  });
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  const settings = [{ component: 'bios', url }];
  const { status, fault } = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, {
    body: { target: 'clean', clean_steps: [{ interface: 'firmware', step: 'update', args: { settings } }] },
  });
  assert.equal(status, 202, fault);
  await daemon.idle();
  return uuid;
}

test('until a step ends, the firmware that it gives to the BMC is served under a name that nobody can guess', async (t) => {
  const fake = await startFakeRedfish();
  t.after(() => fake.stop());
  const images = await httpServer(t, (_, response) => void response.end('the new bios'));
  const daemon = await startInProcess(t, { ini: `${ini}[redfish]\nfirmware_source = local\n`, loops: true });
  await serveBoots(t, daemon.services);
  serveImages(daemon.services);
  const uuid = await updated(daemon, fake.address, `http://127.0.0.1:${images.port}/bios v2.bin`);
  const { body } = fake.bmc.requests.find(({ path }) => path.endsWith('SimpleUpdate')) ?? {};
  const url = body?.['ImageURI'] as string;
  assert.equal(daemon.node(uuid).provision_state, 'clean wait', String(daemon.node(uuid).last_error));
  assert.match(url, /\/secret\/[^/]{43}\/bios-20v2\.bin$/);
  assert.equal(await (await fetch(url)).text(), 'the new bios');
  const shown = await daemon.request('GET', `/v1/nodes/${uuid}`);
  assert.ok(!shown.text.includes(url.split('/').at(-2) ?? ''), 'the API shows the name');

  daemon.services.served.withdraw(`file for a step of ${uuid}`);
  serveImages(daemon.services);
  assert.equal((await fetch(url)).status, 200, 'a daemon that starts again serves it');

  for (let polls = 0; daemon.node(uuid).provision_state !== 'manageable'; polls += 1) {
    assert.ok(polls < 60, String(daemon.node(uuid).last_error));
    await daemon.clock.advance(30_000);
    await daemon.idle();
  }
  assert.equal(fake.machine.biosVersion, '9.9.9');
  assert.equal((await fetch(url)).status, 404);
  assert.equal(daemon.node(uuid).driver_internal_info.step_file, undefined);
});

test('a file for a step is no longer served when its node is deleted', async (t) => {
  const fake = await startFakeRedfish();
  t.after(() => fake.stop());
  const images = await httpServer(t, (_, response) => void response.end('the new bios'));
  const daemon = await startInProcess(t, { ini: `${ini}[redfish]\nfirmware_source = local\n` });
  await serveBoots(t, daemon.services);
  serveImages(daemon.services);
  const uuid = await updated(daemon, fake.address, `http://127.0.0.1:${images.port}/bios.bin`);
  const { body } = fake.bmc.requests.find(({ path }) => path.endsWith('SimpleUpdate')) ?? {};
  const url = body?.['ImageURI'] as string;
  assert.equal((await fetch(url)).status, 200);
  await daemon.request('PUT', `/v1/nodes/${uuid}/maintenance`);
  assert.equal((await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status, 204);
  assert.equal((await fetch(url)).status, 404);
});

test('a BMC does not get firmware whose checksum is wrong, even if the BMC would fetch the firmware itself', async (t) => {
  const fake = await startFakeRedfish();
  t.after(() => fake.stop());
  const images = await httpServer(t, (_, response) => void response.end('tampered'));
  const daemon = await startInProcess(t, { ini });
  const url = `http://127.0.0.1:${images.port}/bios.bin#sha256=${'0'.repeat(64)}`;
  const { provision_state, last_error } = daemon.node(await updated(daemon, fake.address, url));
  assert.equal(provision_state, 'clean failed');
  assert.match(String(last_error), /its sha256 is [0-9a-f]{64}, expected 0{64}$/);
  assert.ok(!fake.bmc.requests.some(({ path }) => path.endsWith('SimpleUpdate')));
});
