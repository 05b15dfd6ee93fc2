// The calls that Metal3's baremetal-operator makes for a host, in the operator's order and with its bodies, for each of the five
// schemes of BMC address that use Redfish. The host is registered, provisioned with an image, given back and removed. Then it is
// registered again, adopted and removed.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { httpServer } from '../../fakes/services/http-server.ts';
import { disk } from '../../fakes/images.ts';
import { skipWithout } from '../../setup/packages.ts';
import { IMAGE, MAC, startMachineSite } from './machine-site.ts';

type Body = Readonly<Record<string, unknown>>;

const skipCds = skipWithout('mtools') || skipWithout('shim-signed') || skipWithout('grub-efi-amd64-signed');
const redfish = { driver: 'redfish', firmware_interface: 'redfish', raid_interface: 'redfish' };
const idrac = {
  driver: 'idrac',
  bios_interface: 'idrac-redfish',
  management_interface: 'idrac-redfish',
  power_interface: 'idrac-redfish',
  raid_interface: 'idrac-redfish',
  vendor_interface: 'idrac-redfish',
};

const systems = { plain: '/redfish/v1/Systems/1', dell10: '/redfish/v1/Systems/System.Embedded.1' };

interface Kind {
  readonly scheme: string;
  readonly shape: 'plain' | 'dell10';
  readonly node: Body;
  readonly skip: string | false;
}

const kinds: readonly Kind[] = [
  { scheme: 'redfish', shape: 'plain', node: { ...redfish, boot_interface: 'ipxe' }, skip: false },
  {
    scheme: 'redfish-virtualmedia',
    shape: 'plain',
    node: { ...redfish, boot_interface: 'redfish-virtual-media' },
    skip: skipCds,
  },
  {
    scheme: 'redfish-uefihttp',
    shape: 'plain',
    node: { ...redfish, boot_interface: 'redfish-https' },
    skip: skipCds,
  },
  { scheme: 'idrac-redfish', shape: 'dell10', node: { ...idrac, boot_interface: 'ipxe' }, skip: false },
  {
    scheme: 'idrac-virtualmedia',
    shape: 'dell10',
    node: { ...idrac, boot_interface: 'idrac-redfish-virtual-media' },
    skip: skipCds,
  },
];

function operatorOf(url: string) {
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.110' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
  };
  const expect = async (status: number, ...[method, path, body]: Parameters<typeof send>): Promise<Body> => {
    const answer = await send(method, path, body);
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  /** Reads the node, as the operator does between its steps, until `is` returns true; throws in a state such as `clean failed`. */
  const nodeWhen = async (uuid: string, is: (node: Body) => boolean): Promise<Body> => {
    for (;;) {
      const node = await expect(200, 'GET', `nodes/${uuid}`);
      if (is(node)) return node;
      assert.ok(!String(node['provision_state']).endsWith('failed'), String(node['last_error']));
      await wait(100);
    }
  };
  return {
    send,
    expect,
    nodeWhen,
    patch: (uuid: string, values: Body) =>
      expect(
        200,
        'PATCH',
        `nodes/${uuid}`,
        Object.entries(values).map(([path, value]) =>
          value === null ? { op: 'remove', path } : { op: 'add', path, value },
        ),
      ),
    async provision(uuid: string, state: string, request: Body): Promise<Body> {
      await expect(202, 'PUT', `nodes/${uuid}/states/provision`, request);
      return nodeWhen(
        uuid,
        (node) => node['provision_state'] === state && node['target_provision_state'] === null,
      );
    },
    async power(uuid: string, target: string, state: string): Promise<void> {
      const body = { target, ...(target === 'soft power off' && { timeout: 180 }) };
      await expect(202, 'PUT', `nodes/${uuid}/states/power`, body);
      await nodeWhen(uuid, (node) => node['power_state'] === state && node['target_power_state'] === null);
    },
  };
}

type Operator = ReturnType<typeof operatorOf>;

/** Creates a node and its port, makes the node manageable and returns its UUID. */
async function register(operator: Operator, node: Body): Promise<string> {
  const name = 'metal3~host-0';
  assert.equal((await operator.send('GET', `nodes/${name}`)).status, 404);
  const found = await operator.expect(200, 'GET', `ports?address=${MAC}`);
  assert.deepEqual(found['ports'], []);
  const uuid = String((await operator.expect(201, 'POST', 'nodes', { name, ...node }))['uuid']);
  await operator.expect(200, 'GET', `ports?node_uuid=${uuid}&fields=node_uuid,address`);
  await operator.expect(201, 'POST', 'ports', { node_uuid: uuid, address: MAC, pxe_enabled: true });
  await operator.provision(uuid, 'manageable', { target: 'manage' });
  await operator.patch(uuid, {
    '/automated_clean': true,
    '/properties/capabilities': 'boot_mode:uefi',
    '/properties/cpu_arch': 'x86_64',
  });
  return uuid;
}

/** Sets what the operator sets for an image, makes the node available, and deploys it with the operator's config drive. */
async function provisionImage(operator: Operator, uuid: string): Promise<Body> {
  await operator.patch(uuid, {
    '/instance_uuid': randomUUID(),
    '/instance_info/capabilities': {},
    '/instance_info/root_device': { size: '>= 1' },
    '/instance_info/image_source': IMAGE.url,
    '/instance_info/image_os_hash_algo': 'sha256',
    '/instance_info/image_os_hash_value': IMAGE.sha256,
    '/instance_info/image_disk_format': 'raw',
    '/driver_info/force_persistent_boot_device': 'Default',
  });
  const validation = await operator.expect(200, 'GET', `nodes/${uuid}/validate`);
  for (const part of ['boot', 'deploy', 'power'])
    assert.partialDeepStrictEqual(validation[part], { result: true });
  const configdrive = {
    meta_data: { uuid, 'metal3-name': 'host-0', 'local-hostname': 'host-0' },
    network_data: { links: [], networks: [], services: [] },
    user_data: '#cloud-config\n',
  };
  await operator.provision(uuid, 'available', { target: 'provide' });
  return operator.provision(uuid, 'active', { target: 'active', configdrive });
}

/** Attaches and detaches an image as the operator does for a `DataImage`: without an image_download_source. */
async function attachDataImage(operator: Operator, uuid: string, imageUrl: string): Promise<void> {
  const settled = async () => {
    const node = await operator.nodeWhen(uuid, ({ reservation }) => reservation === null);
    assert.equal(node['last_error'], null);
    const drives = await operator.expect(200, 'GET', `nodes/${uuid}/vmedia`);
    return (drives as unknown as readonly Body[]).filter(({ inserted }) => inserted === true);
  };
  const medium = { device_type: 'cdrom', image_url: imageUrl };
  await operator.expect(204, 'POST', `nodes/${uuid}/vmedia`, medium);
  const [drive] = await settled();
  const copy = String(drive?.['image']);
  assert.deepEqual(Buffer.from(await (await fetch(copy)).arrayBuffer()), disk());
  await operator.expect(204, 'DELETE', `nodes/${uuid}/vmedia?device_types=cdrom`);
  assert.deepEqual(await settled(), []);
  assert.equal((await fetch(copy)).status, 404);
}

for (const kind of kinds) {
  test(
    `the calls of Metal3 provision a host with a ${kind.scheme}:// BMC address and give it back`,
    { skip: kind.skip },
    async (t) => {
      const { daemon, machine, fields } = await startMachineSite(t, kind.shape);
      const operator = operatorOf(daemon.url);
      const node = {
        ...kind.node,
        driver_info: {
          ...fields.driver_info,
          redfish_system_id: systems[kind.shape],
          redfish_verify_ca: false,
        },
        inspect_interface: 'agent',
        disable_power_off: false,
        properties: { capabilities: 'boot_mode:uefi', cpu_arch: 'x86_64' },
      };
      const uuid = await register(operator, node);

      await operator.provision(uuid, 'manageable', { target: 'inspect' });
      const { inventory } = await operator.expect(200, 'GET', `nodes/${uuid}/inventory`);
      assert.ok((inventory as Body)['cpu']);
      const { bios } = await operator.expect(200, 'GET', `nodes/${uuid}/bios?detail=true`);
      assert.ok((bios as readonly unknown[]).length > 0);
      const { firmware } = await operator.expect(200, 'GET', `nodes/${uuid}/firmware`);
      assert.ok((firmware as readonly unknown[]).length > 0);

      await provisionImage(operator, uuid);
      assert.deepEqual(machine.computer.disk?.image_info?.['urls'], [IMAGE.url]);
      await operator.power(uuid, 'soft power off', 'power off');
      await operator.power(uuid, 'power on', 'power on');
      const { port } = await httpServer(t, (_, response) => void response.end(disk()));
      await attachDataImage(operator, uuid, `http://127.0.0.1:${port}/data.iso`);

      await operator.provision(uuid, 'available', { target: 'deleted' });
      assert.equal(machine.computer.disk, undefined);
      await operator.expect(204, 'DELETE', `nodes/${uuid}`);

      const external = await register(operator, node);
      await operator.provision(external, 'active', { target: 'adopt' });
      await operator.expect(202, 'PUT', `nodes/${external}/maintenance`, { reason: 'forcing deletion' });
      await operator.expect(204, 'DELETE', `nodes/${external}`);
    },
  );
}

/** Of a BareMetalHost, the fields of which the page has an example. */
interface BareMetalHost {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly bootMode: 'UEFI' | 'legacy';
    readonly bootMACAddress: string;
    readonly bmc: { readonly address: string; readonly disableCertificateVerification: boolean };
    readonly rootDeviceHints: { readonly minSizeGigabytes: number };
    readonly image: {
      readonly url: string;
      readonly checksum: string;
      readonly checksumType: string;
      readonly format: string;
    };
  };
}

test('what the operator makes of the BareMetalHost on the page is accepted', { skip: skipCds }, async (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../../daemon/docs/metal3.md'), 'utf8');
  const [, text = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const [secret, host] = parseAllDocuments(text).map((each): unknown => each.toJS());
  const { username, password } = (secret as { readonly stringData: Readonly<Record<string, string>> })
    .stringData;
  const { metadata, spec } = host as BareMetalHost;
  const [scheme, place = ''] = spec.bmc.address.split('://');
  const { daemon, machine } = await startMachineSite(t);
  const operator = operatorOf(daemon.url);
  const capabilities = `boot_mode:${spec.bootMode === 'UEFI' ? 'uefi' : 'bios'}`;
  const node = await operator.expect(201, 'POST', 'nodes', {
    ...kinds.find((kind) => kind.scheme === scheme)?.node,
    name: `metal3~${metadata.name}`,
    driver_info: {
      redfish_address: machine.address,
      redfish_system_id: place.slice(place.indexOf('/')),
      redfish_username: username,
      redfish_password: password,
      redfish_verify_ca: !spec.bmc.disableCertificateVerification,
    },
    properties: { capabilities },
  });
  const uuid = String(node['uuid']);
  await operator.expect(201, 'POST', 'ports', { node_uuid: uuid, address: spec.bootMACAddress });
  await operator.provision(uuid, 'manageable', { target: 'manage' });
  await operator.patch(uuid, {
    '/instance_info/root_device': { size: `>= ${spec.rootDeviceHints.minSizeGigabytes}` },
    '/instance_info/image_source': spec.image.url,
    '/instance_info/image_os_hash_algo': spec.image.checksumType,
    '/instance_info/image_os_hash_value': spec.image.checksum,
    '/instance_info/image_disk_format': spec.image.format,
  });
  await operator.provision(uuid, 'available', { target: 'provide' });
  const validation = await operator.expect(200, 'GET', `nodes/${uuid}/validate`);
  for (const part of ['boot', 'deploy', 'power'])
    assert.partialDeepStrictEqual(validation[part], { result: true });
});
