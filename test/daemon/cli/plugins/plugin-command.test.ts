import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { folderFiles } from '../../../../daemon/plugin-kit/shipping/folder-files.ts';
import { runPlugin } from '../../../fakes/clients/plugin-cli.ts';
import { pluginFolder } from '../../../fakes/plugin-folder.ts';
import { vendorFiles, vendorPlugin } from '../../../fakes/vendor-plugin.ts';

const run = (cwd: string, line: string, environment?: Readonly<Record<string, string>>) =>
  runPlugin(cwd, line.split(' '), environment);

const emptyFolder = (t: TestContext) => pluginFolder(t, {});

test('no file that is shipped with a new plugin names a path of the host', async (t) => {
  const folder = join(emptyFolder(t), 'bigiron');
  await run(join(folder, '..'), 'new bigiron');
  const shipped = folderFiles(folder);
  assert.ok(shipped.some(({ path }) => path === 'tsconfig.json'));
  for (const { path, bytes } of shipped)
    assert.doesNotMatch(bytes.toString(), /file:\/\/|\/daemon\/|node_modules/, path);
  const { $schema } = JSON.parse(readFileSync(join(folder, 'plugin.json'), 'utf8')) as {
    readonly $schema: string;
  };
  assert.match(readFileSync(join(folder, $schema), 'utf8'), /"pluginApi"/);
});

for (const protocol of ['redfish', 'ipmi'])
  test(`a new plugin for ${protocol} passes the check, and its tests run on a model of a BMC`, async (t) => {
    const folder = emptyFolder(t);
    assert.equal((await run(folder, `new bigiron --protocol ${protocol}`)).exit, 0);
    const { exit, stdout, stderr } = await run(folder, 'check bigiron');
    assert.deepEqual([exit, stderr], [0, ''], stdout);
    assert.match(stdout, /^ok {6}management bigiron$[^]*^ok {6}types$[^]*^ℹ fail 0$/m);
  });

test('a protocol that has no template is refused', async (t) => {
  const { exit, stderr } = await run(emptyFolder(t), 'new bigiron --protocol snmp');
  assert.equal(exit, 2);
  assert.match(stderr, /--protocol "snmp": expected one of http, redfish, ipmi/);
});

test('check finds wrong types, and writes a missing folder .editor, which the compiler reads', async (t) => {
  const folder = emptyFolder(t);
  await run(folder, 'new bigiron');
  rmSync(join(folder, 'bigiron/.editor'), { recursive: true });
  const sound = await run(folder, 'check bigiron');
  assert.deepEqual([sound.exit, sound.stderr], [0, '']);
  assert.match(sound.stdout, /^ok {6}types$/m);
  const power = join(folder, 'bigiron/power.ts');
  writeFileSync(
    power,
    readFileSync(power, 'utf8').replace('{ target, node: task.node.uuid, reason }', '{ target }'),
  );
  const wrong = await run(folder, 'check bigiron');
  assert.equal(wrong.exit, 1);
  assert.match(wrong.stdout, /^wrong {3}types\n +bigiron\/power\.ts\(\d+,\d+\): error TS\d+: .*reason/m);
});

test('new creates a plugin under its name and rejects existing and invalid names', async (t) => {
  const folder = emptyFolder(t);
  assert.equal((await run(folder, 'new bigiron')).exit, 0);
  const files = readdirSync(join(folder, 'bigiron'));
  assert.ok(files.includes('bigiron.test.ts') && files.includes('plugin.json'));
  for (const file of files.filter((name) => !name.startsWith('.')))
    assert.doesNotMatch(readFileSync(join(folder, 'bigiron', file), 'utf8'), /acme/i, file);
  const again = await run(folder, 'new bigiron');
  assert.equal(again.exit, 1);
  assert.match(again.stderr, /bigiron already exists; choose another name, or remove it/);
  const unfit = await run(folder, 'new ../escape');
  assert.match(unfit.stderr, /\.\.\/escape: expected a name of lower-case letters and digits/);
});

test('check exits with 1 and describes each problem, or exits with 0', async (t) => {
  const good = await run(vendorPlugin(t), 'check rackpower');
  assert.deepEqual([good.exit, good.stderr], [0, '']);
  assert.match(good.stdout, /^ok {6}power rackpower$/m);
  assert.match(good.stdout, /^It has no tests of its own/m);
  const folder = vendorPlugin(t, {
    'rackpower/power.ts': 'export const rackPower = { properties: {} };',
    'rackpower/rackpower.test.js': `throw new Error('not reached');`,
  });
  const bad = await run(folder, 'check rackpower');
  assert.equal(bad.exit, 1);
  assert.match(bad.stdout, /^wrong {3}power rackpower$\n +.*rackPower of .* lacks the function validate/m);
  assert.doesNotMatch(bad.stdout, /not reached/);
  const careless = vendorFiles['rackpower/vendor.ts'].replace('drop === undefined', 'false');
  const stray = await run(vendorPlugin(t, { 'rackpower/vendor.ts': careless }), 'check rackpower');
  assert.equal(stray.exit, 1);
  assert.match(
    stray.stdout,
    /^wrong {3}nothing fails outside of an operation\n +forgotten by the rackpower/m,
  );
  const failing = vendorPlugin(t, { 'rackpower/rackpower.test.js': `throw new Error('a test failed');` });
  const tests = await run(failing, 'check rackpower');
  assert.equal(tests.exit, 1);
  assert.match(tests.stdout, /a test failed/);
});

test('check refuses a folder that does not exist, and a file, with the reason', async (t) => {
  const { exit, stderr } = await run(emptyFolder(t), 'check absent');
  assert.equal(exit, 1);
  assert.match(
    (await run(vendorPlugin(t), 'check rackpower/power.ts')).stderr,
    /no folder rackpower\/power\.ts/,
  );
  assert.equal(
    stderr,
    'ironic-edge: there is no folder absent. Name the folder of a plugin; "ironic-edge plugin new" creates one.\n',
  );
});

test('list shows available, enabled and rejected plugins with the reasons', async (t) => {
  const path = vendorPlugin(t, { 'broken/plugin.json': '{' });
  const environment = {
    IRONIC_PLUGINS__PATH: path,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'rackserver',
    IRONIC_DEFAULT__ENABLED_POWER_INTERFACES: 'rackpower',
  };
  const { exit, stdout } = await run(path, 'list', environment);
  assert.equal(exit, 0);
  assert.match(
    stdout,
    new RegExp(
      `^rackpower 2\\.3\\.0: .*\\n +${path}/rackpower\\n +hardware types: \\*rackserver\\n +power interfaces: \\*rackpower\\n`,
      'm',
    ),
  );
  assert.match(stdout, /^ +hooks: rack-position$/m);
  const own = await run(path, 'list', {
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish',
    IRONIC_INSPECTOR__HOOKS: 'ramdisk-error,validate-interfaces',
    IRONIC_REDFISH__INSPECTION_HOOKS: 'validate-interfaces,pci-devices',
  });
  // a hook that runs only for reports of the inspect interface redfish counts as loaded too
  assert.match(own.stdout, /^ +hooks: .*\*pci-devices, .*\*ramdisk-error/m);
  assert.match(stdout, /^ipmi 1\.0\.0: .*\n +.*\n +hardware types: ipmi\b/m);
  assert.match(stdout, /^set aside: .*\/broken\n +.*plugin\.json:1:2: cannot be read/m);
  const broken = vendorPlugin(t, { 'rackpower/power.ts': 'throw new Error("bang");' });
  const refused = await run(broken, 'list', { ...environment, IRONIC_PLUGINS__PATH: broken });
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /the daemon starts without something that its configuration names: .*bang/);
  assert.match(refused.stdout, /^set aside: .*\/rackpower\n +.*bang$/m);
});

test('show prints the interfaces of a hardware type, those of its base included', async (t) => {
  const path = vendorPlugin(t);
  const environment = { IRONIC_PLUGINS__PATH: path };
  const { exit, stdout } = await run(path, 'show rackserver', environment);
  assert.equal(exit, 0);
  assert.match(stdout, /^hardware type rackserver of plugin rackpower, extends ipmi\n/);
  assert.match(stdout, /^ {2}power {7}rackpower \(rackpower\), ipmitool \(ipmi\)/m);
  assert.match(stdout, /^ {2}deploy {6}direct \(agent\), /m);
  const unknown = await run(path, 'show generik', environment);
  assert.equal(unknown.exit, 1);
  assert.match(unknown.stderr, /there is no hardware type generik; expected one of .*generic, .*rackserver/);
});

test('wrong arguments print the usage and exit with code 2', async (t) => {
  for (const line of ['', 'new', 'check', 'new a b', 'list all', 'remove', 'lend acme']) {
    const { exit, stderr } = await run(emptyFolder(t), line);
    assert.equal(exit, 2, line);
    assert.match(stderr, /usage: ironic-edge plugin new NAME/);
  }
});
