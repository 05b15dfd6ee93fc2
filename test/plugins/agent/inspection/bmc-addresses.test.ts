// The BMC addresses that identify the node when a ramdisk reports only unknown MAC addresses.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import type { JsonObject } from '#plugin-api';
import { bmcHosts } from '#plugin-api';
import { bmcAddresses, resolveHost } from '../../../../plugins/agent/inspection/bmc-addresses.ts';

const names: Readonly<Record<string, readonly string[]>> = {
  'bmc.example': ['192.0.2.7', '2001:DB8:0::7'],
  localhost: ['127.0.0.1', '::1'],
  'link.example': ['fe80::7%eth0'],
};

const resolve = async (host: string) => {
  const addresses = names[host];
  if (addresses === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
  return addresses;
};

async function cached(driverInfo: JsonObject) {
  const warnings: string[] = [];
  const addresses = await bmcAddresses(bmcHosts(driverInfo), resolve, (message) => warnings.push(message));
  return { addresses, warnings };
}

const cases: readonly [title: string, driverInfo: JsonObject, addresses: readonly string[]][] = [
  ['a loopback address', { ipmi_address: '127.0.0.1' }, []],
  ['a URL of localhost', { redfish_address: 'https://localhost/x' }, []],
  ['a URL with an IPv4 address', { redfish_address: 'https://192.0.2.1/redfish' }, ['192.0.2.1']],
  ['a URL with an IPv6 address', { redfish_address: 'https://[2001:db8::42]:8443/' }, ['2001:db8::42']],
  ['an address with a port, without a scheme', { redfish_address: '192.0.2.1:8443' }, ['192.0.2.1']],
  ['an address with a path, without a scheme', { redfish_address: '192.0.2.1/bmc' }, ['192.0.2.1']],
  ['an IPv6 address in brackets', { ipmi_address: '[2001:DB8:0:0::42]' }, ['2001:db8::42']],
  ['an IPv4-mapped address', { ipmi_address: '::ffff:192.0.2.1' }, ['192.0.2.1']],
  ['a host name', { ipmi_address: 'bmc.example' }, ['bmc.example', '192.0.2.7', '2001:db8::7']],
  ['a name with a scoped address', { ipmi_address: 'link.example' }, ['link.example', 'fe80::7']],
  ['a bridged BMC', { ipmi_address: '192.0.2.9', ipmi_bridging: 'single' }, []],
  ['a BMC with bridging turned off', { ipmi_address: '192.0.2.9', ipmi_bridging: 'no' }, ['192.0.2.9']],
  [
    'a bridged BMC beside another BMC',
    { ipmi_bridging: 'dual', redfish_address: '192.0.2.9' },
    ['192.0.2.9'],
  ],
  ['a field of another name', { ipmi_username: '192.0.2.1', address: '192.0.2.1' }, []],
  ['values that are not strings', { a_address: 5, b_address: null, c_address: {}, d_address: '' }, []],
  ['the same address twice', { a_address: '192.0.2.1', b_address: 'http://192.0.2.1' }, ['192.0.2.1']],
];

for (const [title, driverInfo, expected] of cases) {
  test(`the lookup addresses for ${title} are ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual(await cached(driverInfo), { addresses: expected, warnings: [] });
  });
}

test('an unresolvable name and an invalid URL are skipped with a warning', async () => {
  const { addresses, warnings } = await cached({
    a_address: 'gone.example',
    b_address: 'https://[broken',
    c_address: '192.0.2.1',
  });
  assert.deepEqual(addresses, ['192.0.2.1']);
  assert.match(warnings[0] ?? '', /gone\.example cannot be resolved \(getaddrinfo ENOTFOUND/);
  assert.match(warnings[1] ?? '', /https:\/\/\[broken/);
});

test('the system resolver resolves localhost', async () => {
  assert.ok((await resolveHost('localhost')).some((address) => address === '127.0.0.1' || address === '::1'));
});

test('whatever the address fields contain, nothing throws and no address is returned twice', async () => {
  const value = fc.oneof(fc.jsonValue(), fc.webUrl(), fc.ipV6(), fc.string());
  const driverInfo = fc.dictionary(
    fc.string().map((name) => `${name}_address`),
    value,
  );
  await fc.assert(
    fc.asyncProperty(driverInfo, async (any) => {
      const { addresses } = await cached(any as JsonObject);
      assert.equal(new Set(addresses).size, addresses.length);
    }),
  );
});
