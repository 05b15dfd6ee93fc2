import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const CLASSIC = ['boot', 'console', 'deploy', 'inspect', 'management', 'network', 'power', 'raid', 'vendor'];
const LATER = { storage: 33, rescue: 38, bios: 40, firmware: 86 };

test('a single driver and a detailed list show the interface types that the API version has', async (t) => {
  const daemon = await startInProcess(t);
  for (const version of [1, 13, 14, 29, 30, 32, 33, 37, 38, 39, 40, 85, 86, 115]) {
    const later = Object.entries(LATER).filter(([, since]) => since <= version);
    const types = version < 30 ? [] : [...CLASSIC, ...later.map(([type]) => type)];
    const summary = [
      'name',
      'hosts',
      'links',
      ...(version >= 14 ? ['properties'] : []),
      ...(version >= 30 ? ['type'] : []),
    ];
    const full = [
      ...summary,
      ...types.flatMap((type) => [`default_${type}_interface`, `enabled_${type}_interfaces`]),
    ];
    const one = await daemon.request('GET', '/v1/drivers/fake-hardware', { version });
    assert.deepEqual(Object.keys(one.body).toSorted(), full.toSorted(), `1.${version}`);
    const list = await daemon.request('GET', '/v1/drivers', { version });
    assert.deepEqual(Object.keys(list.body.drivers[0] ?? {}).toSorted(), summary.toSorted());
    if (version < 30) continue;
    const detail = await daemon.request('GET', '/v1/drivers?detail=true', { version });
    assert.deepEqual(Object.keys(detail.body.drivers[0] ?? {}).toSorted(), full.toSorted());
  }
});

test('a driver shows its hosts, and for each type the default interface and the enabled interfaces by preference', async (t) => {
  const daemon = await startInProcess(t);
  const { body } = await daemon.request('GET', '/v1/drivers/fake-hardware');
  assert.deepEqual(body['hosts'], ['lab-host']);
  assert.equal(body['default_inspect_interface'], 'fake');
  assert.deepEqual(body['enabled_inspect_interfaces'], ['fake', 'agent', 'inspector', 'no-inspect']);
});

test('all interfaces that a driver supports are enabled by default, and the first of each type is the default', async (t) => {
  const daemon = await startInProcess(t);
  const { body } = await daemon.request('GET', '/v1/drivers/ipmi');
  const enabled = {
    deploy: ['direct', 'ramdisk', 'bootc', 'anaconda', 'ansible', 'custom-agent', 'autodetect', 'no-deploy'],
    inspect: ['agent', 'inspector', 'no-inspect'],
    management: ['ipmitool', 'noop'],
    raid: ['no-raid', 'agent'],
    rescue: ['no-rescue', 'agent'],
  };
  for (const [type, names] of Object.entries(enabled)) {
    assert.deepEqual(body[`enabled_${type}_interfaces`], names, type);
    assert.equal(body[`default_${type}_interface`], names[0], type);
    for (const name of names) {
      const node = await daemon.createNode({ driver: 'ipmi', [`${type}_interface`]: name });
      assert.equal(node[`${type}_interface`], name);
    }
  }
});

test('where a ramdisk is configured, agent is the default rescue interface, unless another is configured', async (t) => {
  const rescueOf = async (ini: string, driver = 'ipmi') => {
    const daemon = await startInProcess(t, { ini });
    const { body } = await daemon.request('GET', `/v1/drivers/${driver}`);
    const node = await daemon.createNode({ driver });
    assert.equal(node['rescue_interface'], body['default_rescue_interface']);
    return body['default_rescue_interface'];
  };
  const both = '[conductor]\ndeploy_kernel = http://192.0.2.1/k\ndeploy_ramdisk = http://192.0.2.1/r\n';
  const byArch = both.replaceAll(/(deploy_\w+) = /g, '$1_by_arch = x86_64:').replace('deploy', 'rescue');
  for (const [ini, expected, driver] of [
    [both, 'agent'],
    [byArch, 'agent'],
    [both.replace(/deploy_ramdisk.*/, ''), 'no-rescue'],
    [both, 'fake', 'fake-hardware'],
    [`${both}[DEFAULT]\ndefault_rescue_interface = no-rescue\nenabled_hardware_types = ipmi\n`, 'no-rescue'],
    [`${both}[DEFAULT]\nenabled_rescue_interfaces = no-rescue,fake\n`, 'no-rescue'],
  ] as const)
    assert.equal(await rescueOf(ini, driver), expected, ini);
});

test('the text of an optional driver property says that the property is optional', async (t) => {
  const daemon = await startInProcess(t);
  const { status, body } = await daemon.request('GET', '/v1/drivers/lab/properties');
  assert.equal(status, 200);
  assert.match(String(body['lab_power']), /^What the machine says.* Optional\.$/);
});

test('requests for drivers are validated', async (t) => {
  const daemon = await startInProcess(t);
  const cases: readonly (readonly [string, number, number?])[] = [
    ['?type=dynamic', 200],
    ['?type=classic', 200],
    ['?type=x', 400],
    ['?type=dynamic', 406, 29],
    ['?detail=true', 406, 29],
    ['?fields=name', 406, 76],
    ['?fields=name', 200, 77],
    ['?fields=foo', 400],
    ['?fields=name&detail=true', 400],
    ['?limit=1', 400],
    ['/no-such', 404],
    ['/no-such/properties', 404],
    ['/__proto__', 404],
  ];
  for (const [path, status, version = 115] of cases) {
    assert.equal((await daemon.request('GET', `/v1/drivers${path}`, { version })).status, status, path);
  }
  assert.deepEqual((await daemon.request('GET', '/v1/drivers?type=classic')).body.drivers, []);
  const { body } = await daemon.request('GET', '/v1/drivers?fields=name');
  assert.deepEqual(Object.keys(body.drivers[0] ?? {}), ['name', 'links']);
});
