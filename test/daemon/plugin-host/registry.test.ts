import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialNode } from '../../../daemon/model/records/node.ts';
import { createComposer, resolveInterfaces } from '../../../daemon/plugin-host/compose.ts';
import { readConfigWithPlugins } from '../../../daemon/plugin-host/configured-plugins.ts';
import { pluginFolder, type PluginFiles } from '../../fakes/plugin-folder.ts';
import { acme, load, manifest, power, source } from './plugin-tree.ts';

test('a plugin outside the project resolves #plugin-api and extends a hardware type of another plugin', async (t) => {
  const tree = { 'acme/plugin.json': acme, 'acme/power.ts': source };
  const { registry } = await load(t, tree);
  const type = registry.hardwareTypes.get('acme');
  assert.deepEqual(type?.supported.power, ['acme', 'fake']);
  assert.deepEqual(type.enabled.power, ['acme', 'fake']);
  assert.equal(type.defaults.power, 'acme');
  assert.deepEqual(type.supported.inspect, ['fake', 'agent', 'inspector', 'no-inspect']);
  assert.equal(type.defaults.inspect, 'fake');
  const compose = createComposer(registry, []);
  const node = initialNode({ driver: 'acme', power_interface: 'acme' });
  assert.equal(compose(node).power, registry.interfaces.get('power:acme'));
  assert.equal(compose(node), compose({ ...node, name: 'another' }));
});

const supporting = (...names: string[]) =>
  manifest({
    entryPoints: power,
    hardwareTypes: { acme: { extends: 'fake-hardware', supported: { power: names } } },
  });

test('a plugin must provide the first supported interface; further ones that no plugin provides are skipped', async (t) => {
  const further = { 'acme/plugin.json': supporting('acme', 'elsewhere', 'fake'), 'acme/power.ts': source };
  const { registry } = await load(t, further);
  assert.deepEqual(registry.hardwareTypes.get('acme')?.enabled.power, ['acme', 'fake']);
  const first = { 'acme/plugin.json': supporting('elsewhere', 'acme'), 'acme/power.ts': source };
  await assert.rejects(load(t, first), /hardware type acme: no plugin provides elsewhere/);
});

test('the configuration selects enabled and default interfaces', async (t) => {
  const tree = { 'acme/plugin.json': acme, 'acme/power.ts': source };
  const { registry } = await load(t, tree, {
    IRONIC_DEFAULT__ENABLED_POWER_INTERFACES: 'fake,acme',
    IRONIC_DEFAULT__DEFAULT_POWER_INTERFACE: 'fake',
    IRONIC_DEFAULT__ENABLED_INSPECT_INTERFACES: 'no-inspect,agent,fake',
  });
  const type = registry.hardwareTypes.get('acme');
  assert.deepEqual([type?.enabled.power, type?.defaults.power], [['acme', 'fake'], 'fake']);
  assert.deepEqual(type?.enabled.inspect, ['fake', 'agent', 'no-inspect']);
  const chosen = resolveInterfaces(registry, 'acme', { power_interface: 'acme' });
  assert.deepEqual([chosen.power_interface, chosen.inspect_interface], ['acme', 'fake']);
  assert.throws(
    () => resolveInterfaces(registry, 'acme', { power_interface: 'x' }),
    /enabled power interfaces: x/,
  );
  assert.throws(
    () => resolveInterfaces(registry, 'ipmi', {}),
    /supports driver ipmi\. It is not enabled; enabled drivers: acme/,
  );
});

const typed = (supported: object, more: object = {}) =>
  manifest({ entryPoints: power, hardwareTypes: { acme: { supported, ...more } } });
const exporting = (exported: string) =>
  manifest({
    ...acme,
    entryPoints: { 'ironic.hardware.interfaces.power': { acme: `./power.ts:${exported}` } },
  });

const failures: readonly (readonly [string, PluginFiles, Readonly<Record<string, string>>, RegExp])[] = [
  [
    'an empty enabled_hardware_types',
    {},
    { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: '' },
    /enabled_hardware_types is empty/,
  ],
  [
    'an unknown hardware type',
    {},
    {},
    /enabled_hardware_types: no plugin provides acme\. Known: .*fake-hardware/,
  ],
  [
    'an unknown parent',
    { 'acme/plugin.json': typed({}, { extends: 'nobody' }) },
    {},
    /acme: hardware type acme extends nobody, which no plugin provides/,
  ],
  [
    'a hardware type that extends itself',
    { 'acme/plugin.json': typed({}, { extends: 'acme' }) },
    {},
    /extends itself: acme -> acme/,
  ],
  [
    'an unknown interface',
    { 'acme/plugin.json': acme, 'acme/power.ts': source },
    { IRONIC_DEFAULT__ENABLED_POWER_INTERFACES: 'x' },
    /enabled_power_interfaces: no plugin provides x in ironic\.hardware\.interfaces\.power\. Known: .*acme/,
  ],
  [
    'an interface type without an enabled interface',
    { 'acme/plugin.json': acme, 'acme/power.ts': source },
    {
      IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'no-boot',
      IRONIC_DEFAULT__ENABLED_STORAGE_INTERFACES: 'fake',
      IRONIC_DEFAULT__ENABLED_DEPLOY_INTERFACES: 'noop',
    },
    /Hardware type acme has no enabled deploy interface\. Add one of its own \(fake, direct/,
  ],
  [
    'a default interface that is not enabled',
    { 'acme/plugin.json': acme, 'acme/power.ts': source },
    { IRONIC_DEFAULT__DEFAULT_POWER_INTERFACE: 'ipmitool' },
    /default_power_interface: ipmitool is not enabled. Enabled power interfaces: acme, fake/,
  ],
  [
    'a missing entry point file',
    { 'acme/plugin.json': acme },
    {},
    /acme: entry point \.\/power\.ts:acmePower cannot be read: ENOENT/,
  ],
  [
    'an entry point that throws',
    { 'acme/plugin.json': acme, 'acme/power.ts': 'throw new Error("bang")' },
    {},
    /acme: entry point acme \(\.\/power\.ts:acmePower\) cannot be loaded: .*power\.ts:1:7: bang/,
  ],
  [
    'an entry point with a syntax error',
    { 'acme/plugin.json': acme, 'acme/power.ts': 'export const = ' },
    {},
    /entry point acme .*cannot be loaded/,
  ],
  [
    'a missing export',
    { 'acme/plugin.json': exporting('other'), 'acme/power.ts': source },
    {},
    /does not export an object named other/,
  ],
  [
    'an export that is not an object',
    { 'acme/plugin.json': exporting('notAnObject'), 'acme/power.ts': source },
    {},
    /does not export an object named notAnObject/,
  ],
  [
    'an interface without a required function',
    { 'acme/plugin.json': exporting('halfAnInterface'), 'acme/power.ts': source },
    {},
    /halfAnInterface of .*power\.ts lacks the function getPowerState/,
  ],
  [
    'an empty export',
    { 'acme/plugin.json': exporting('nothing'), 'acme/power.ts': source },
    {},
    /nothing of .*power\.ts lacks properties/,
  ],
];

for (const [what, tree, options, sentence] of failures) {
  test(`${what} stops the start with a message that says why`, async (t) => {
    await assert.rejects(load(t, tree, options), (error: Error) => {
      assert.match(error.message, sentence);
      return true;
    });
  });
}

test('what a broken folder may provide is missed, but does not stop the start; a lost default is not replaced', async (t) => {
  const { registry } = await load(
    t,
    { 'broken/plugin.json': '{' },
    {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'acme,fake-hardware,ipmi',
      IRONIC_DEFAULT__ENABLED_DRIVERS: 'acme-classic',
      IRONIC_DEFAULT__ENABLED_POWER_INTERFACES: 'acme,fake',
      IRONIC_DEFAULT__DEFAULT_POWER_INTERFACE: 'acme',
      IRONIC_INSPECTOR__HOOKS: 'acme-hook,architecture',
    },
  );
  assert.deepEqual([...registry.hardwareTypes.keys()], ['fake-hardware']);
  assert.deepEqual(registry.enabledInterfaces.power, ['fake']);
  assert.throws(() => resolveInterfaces(registry, 'fake-hardware', {}), /acme/);
  assert.deepEqual(
    registry.hooks.map(({ name, kind }) => [name, kind]),
    [
      ['acme-hook', 'lost'],
      ['architecture', 'inside'],
    ],
  );
  const expected = [
    /enabled_hardware_types: no plugin provides acme\. .*Set aside: .*broken\/plugin\.json:1:2: cannot be read/,
    /enabled_power_interfaces: no plugin provides acme in/,
    /default_power_interface: acme is not enabled/,
    /Hardware type ipmi has no enabled power interface/,
    /enabled_drivers: no plugin provides acme-classic/,
    /\[inspector\] hooks: no plugin provides acme-hook/,
  ];
  assert.equal(registry.losses.length, expected.length, registry.losses.join('\n'));
  for (const [index, sentence] of expected.entries()) assert.match(registry.losses[index] ?? '', sentence);
});

test('an unused broken folder is set aside with its reason', async (t) => {
  const { discovery } = await load(t, {
    'acme/plugin.json': acme,
    'acme/power.ts': source,
    'broken/plugin.json': '{}',
    'not-a-plugin/readme': '',
    'loose-file': '',
  });
  assert.equal(discovery.setAside.length, 1);
  assert.match(
    discovery.setAside[0]?.reason ?? '',
    /broken\/plugin\.json:1:1: the manifest must have required property/,
  );
});

test('when two plugins provide one entry point, the one in a folder of its own name is used, the other is set aside', async (t) => {
  const { discovery } = await load(t, {
    'a/plugin.json': { ...acme, name: 'other' },
    'acme/plugin.json': acme,
    'acme/power.ts': source,
  });
  assert.match(
    discovery.setAside[0]?.reason ?? '',
    /\/a: acme in ironic\.hardware\.interfaces\.power is already provided by .*\/acme; remove or rename one/,
  );
});

test('a plugin adds its options to the configuration', async (t) => {
  const configuration = {
    acme: {
      type: 'object',
      properties: { port: { type: 'integer', default: 443, description: 'The port.' } },
    },
  };
  const directory = pluginFolder(t, {
    'acme/plugin.json': { ...acme, configuration },
    'acme/power.ts': source,
  });
  const environment = { IRONIC_PLUGINS__PATH: directory, IRONIC_ACME__PORT: '8443' };
  const { values } = readConfigWithPlugins({ configFile: undefined, environment });
  assert.equal(values['acme']?.['port'], 8443);
});

const extending = `import { defineDeploy, extendInterface } from '#plugin-api';
export const slower = extendInterface('deploy', 'direct', (direct) => ({
  ...direct,
  properties: { ...direct.properties, acme_pause: { description: 'How long it waits.' } },
  prepare: (task) => direct.prepare(task),
}));
export const circular = extendInterface('deploy', 'circular', (own) => own);
export const broken = extendInterface('deploy', 'direct', () => ({ properties: {} }));
export const classic = { power: 'fake', boot: 'fake', deploy: 'slower' };
`;
const withDeploy = (...names: string[]) => ({
  'acme/plugin.json': manifest({
    entryPoints: {
      'ironic.hardware.interfaces.deploy': {
        slower: './deploy.ts:slower',
        circular: './deploy.ts:circular',
        broken: './deploy.ts:broken',
      },
      'ironic.drivers': { 'acme-classic': './deploy.ts:classic' },
    },
    hardwareTypes: { acme: { extends: 'fake-hardware', supported: { deploy: names } } },
  }),
  'acme/deploy.ts': extending,
});

test('an interface can extend one of another plugin, and a classic driver can name interfaces', async (t) => {
  const { registry } = await load(t, withDeploy('slower'), {
    IRONIC_DEFAULT__ENABLED_DRIVERS: 'acme-classic',
  });
  const slower = registry.interfaces.get('deploy:slower');
  assert.ok(slower?.properties['acme_pause'] && slower.properties['agent_verify_ca']);
  assert.ok(slower.steps?.['write_image']);
  const classic = registry.classicDrivers.get('acme-classic');
  assert.ok(classic?.deploy?.steps?.['write_image']);
  assert.equal(classic.management, undefined);
  assert.ok(classic.network, 'nodes cannot be made available without a network interface');
});

test('an extension that breaks the contract or extends itself stops the start with a reason', async (t) => {
  await assert.rejects(
    load(t, withDeploy('circular')),
    /deploy interface circular of plugin acme extends itself/,
  );
  await assert.rejects(
    load(t, withDeploy('broken')),
    /deploy interface broken of plugin acme lacks the function validate/,
  );
});
