// A plugin on its way from its vendor to a site: packed, installed, upgraded, rolled back and removed.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { makeKey, runPlugin } from '../../../fakes/clients/plugin-cli.ts';
import { pluginFolder, type PluginFiles } from '../../../fakes/plugin-folder.ts';
import { vendorFiles, vendorManifest } from '../../../fakes/vendor-plugin.ts';

const ENABLED = {
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'rackserver,fake-hardware',
  IRONIC_DEFAULT__ENABLED_POWER_INTERFACES: 'rackpower,fake',
};

/** A folder with a vendor's plugin and two keys, and a site with an empty directory for plugins. */
function vendorAndSite(t: TestContext) {
  const directory = pluginFolder(t, vendorFiles);
  makeKey(path.join(directory, 'key.pem'));
  makeKey(path.join(directory, 'other.pem'));
  const plugins = path.join(directory, 'site');
  mkdirSync(plugins);
  const site = { IRONIC_PLUGINS__PATH: plugins };
  const change = (files: PluginFiles) => {
    for (const [name, content] of Object.entries(files))
      writeFileSync(
        path.join(directory, name),
        typeof content === 'string' ? content : JSON.stringify(content),
      );
  };
  return {
    directory,
    plugins,
    change,
    run: (line: string, environment: Readonly<Record<string, string>> = {}) =>
      runPlugin(directory, line.split(' '), { ...site, ...environment }),
    /** The version of the plugin that a daemon at the site would find. */
    version: () =>
      (JSON.parse(readFileSync(path.join(plugins, 'rackpower/plugin.json'), 'utf8')) as { version: string })
        .version,
  };
}

const version = (number: string, more: object = {}) => ({
  'rackpower/plugin.json': { ...vendorManifest, version: number, ...more },
});

test('a packed plugin is installed, upgraded and removed, and a daemon uses it', async (t) => {
  const { run, change, plugins, directory, version: installed } = vendorAndSite(t);
  const packed = await run('pack rackpower --key key.pem');
  const [, key = ''] = /signed by (SHA256:\S+)/.exec(packed.stdout) ?? [];
  assert.equal(packed.stderr, '');
  assert.equal(packed.stdout, `rackpower-2.3.0.tgz: rackpower 2.3.0, signed by ${key}\n`);
  await run('pack rackpower --key key.pem --out again.tgz');
  const bytes = (name: string) => readFileSync(path.join(directory, name));
  assert.ok(bytes('rackpower-2.3.0.tgz').equals(bytes('again.tgz')));

  const unknown = await run('install rackpower-2.3.0.tgz');
  assert.equal(unknown.exit, 1);
  assert.ok(unknown.stderr.includes(`if they are equal, add: --key ${key}`), unknown.stderr);
  assert.match(
    (await run('install rackpower-2.3.0.tgz --key other.pem')).stderr,
    /signed by .*, not by SHA256:/,
  );
  assert.deepEqual(readdirSync(plugins), []);
  const done = await run(`install rackpower-2.3.0.tgz --key ${key}`, ENABLED);
  assert.equal(done.stderr, '');
  assert.match(done.stdout, /^rackpower 2\.3\.0 is installed in .*\/site; signed by SHA256:/);
  await using daemon = await DaemonProcess.start({ ...ENABLED, IRONIC_PLUGINS__PATH: plugins });
  const { body } = await daemon.request('GET', '/v1/drivers/rackserver');
  assert.equal(body['default_power_interface'], 'rackpower');

  change(version('2.4.0'));
  await run('pack rackpower --key key.pem');
  const upgraded = await run('install rackpower-2.4.0.tgz', ENABLED);
  assert.match(upgraded.stdout, /^rackpower 2\.4\.0 is installed in .*, in place of 2\.3\.0; signed by/);
  const listed = await run('list', ENABLED);
  assert.match(
    listed.stdout,
    /^rackpower 2\.4\.0: .*\n.*\n {4}installed 20\d\d-\S+ from \/.*rackpower-2\.4\.0\.tgz, signed by SHA256:/m,
  );
  assert.doesNotMatch(listed.stdout, /changed since/);
  writeFileSync(path.join(plugins, 'rackpower/power.ts'), `${vendorFiles['rackpower/power.ts']}// patched\n`);
  assert.match((await run('list')).stdout, /changed since its installation: power\.ts/);

  const used = await run('remove rackpower', ENABLED);
  assert.equal(used.exit, 1);
  assert.match(
    used.stderr,
    /the change was undone: after it, the daemon could not start: .*no plugin provides rackserver/,
  );
  assert.equal(installed(), '2.4.0');
  assert.equal((await run('remove rackpower')).exit, 0);
  assert.deepEqual(readdirSync(plugins), ['.installed']);
  assert.deepEqual(readdirSync(path.join(plugins, '.installed')), []);
  assert.match((await run('remove rackpower')).stderr, /there is no installed plugin rackpower in/);
});

test('the steps that install and list print make a plugin usable', async (t) => {
  const { run, change, plugins, directory } = vendorAndSite(t);
  const file = path.join(directory, 'ironic.conf');
  const settings = ['enabled_hardware_types = fake-hardware', 'enabled_power_interfaces = fake'];
  writeFileSync(file, `[DEFAULT]\n${settings.join('\n')}\n[plugins]\npath = ${plugins}\n`);
  const configured = { IRONIC_CONFIG_FILE: file };
  await run('pack rackpower --key key.pem');
  const { stdout } = await run('install rackpower-2.3.0.tgz --key key.pem', configured);
  const steps = stdout.slice(stdout.indexOf('To use it:'));
  assert.equal(
    steps,
    `To use it:
  1. In ${file}, set what you need of:
       [DEFAULT]
       enabled_hardware_types = fake-hardware,rackserver
       enabled_power_interfaces = fake,rackpower
       [inspector]
       hooks = $default_hooks,rack-position
  2. Restart the daemon; with the systemd unit: systemctl restart ironic-edge
`,
  );
  assert.ok((await run('list', configured)).stdout.includes(`rackpower is not used. ${steps}`));
  const wanted = steps.split('\n').slice(2, -2);
  writeFileSync(file, `[plugins]\npath = ${plugins}\n${wanted.map((line) => line.trim()).join('\n')}\n`);
  assert.doesNotMatch((await run('list', configured)).stdout, /is not used/);
  await using daemon = await DaemonProcess.start(configured);
  assert.equal((await daemon.request('GET', '/v1/drivers/rackserver')).status, 200);

  change(version('2.4.0'));
  await run('pack rackpower --key key.pem');
  const upgraded = await run('install rackpower-2.4.0.tgz', configured);
  assert.match(upgraded.stdout, /or now with: ironic-edge plugin reload rackpower\n$/);
  const reloaded = await run('reload rackpower', { ...configured, OS_ENDPOINT: daemon.url });
  assert.match(reloaded.stdout, /rackpower 2\.4\.0 is loaded, in place of 2\.3\.0/);
  const level = { type: 'object', properties: { level: { type: 'integer', default: 1 } } };
  change(version('2.5.0', { configuration: { ...vendorManifest.configuration, more: level } }));
  await run('pack rackpower --key key.pem');
  const changed = await run('install rackpower-2.5.0.tgz', configured);
  assert.match(
    changed.stdout,
    /takes effect when the daemon starts the next time; .* restart ironic-edge\n$/,
  );
});

test('an upgrade that fails the check, or with which the daemon cannot start or sets the plugin aside, leaves the old version installed', async (t) => {
  const { run, change, plugins, version: installed } = vendorAndSite(t);
  const upgrade = async (files: PluginFiles) => {
    change(files);
    await run('pack rackpower --key key.pem --out new.tgz');
    return run('install new.tgz', ENABLED);
  };
  await run('pack rackpower --key key.pem --out first.tgz');
  assert.equal((await run('install first.tgz --key key.pem', ENABLED)).exit, 0);
  const flawed = await upgrade({ ...version('3.0.0'), 'rackpower/vendor.ts': 'process.exit(0);' });
  assert.equal(flawed.exit, 1);
  assert.match(
    flawed.stderr,
    /it does not pass the check, and nothing was installed:\n {2}.*ended the process/,
  );
  const gone = await upgrade({
    ...version('3.0.1', { hardwareTypes: { rackmachine: vendorManifest.hardwareTypes.rackserver } }),
    'rackpower/vendor.ts': vendorFiles['rackpower/vendor.ts'],
  });
  assert.equal(gone.exit, 1);
  assert.match(
    gone.stderr,
    /the change was undone: after it, the daemon could not start: .*no plugin provides rackserver/,
  );
  const aside = await upgrade({
    ...version('3.0.2'),
    'rackpower/power.ts': `${vendorFiles['rackpower/power.ts']}
if (!process.argv[1]?.endsWith('/check-process.ts')) throw new Error('only sound while it is checked');`,
  });
  assert.equal(aside.exit, 1);
  assert.match(
    aside.stderr,
    /undone: after it, the daemon would start, but without something that its configuration names: .*only sound while/,
  );
  assert.equal(installed(), '2.3.0');
  // the folder of the active version, and the file that says where it came from
  assert.equal(readdirSync(path.join(plugins, '.installed')).length, 2);
  assert.equal((await run('list', ENABLED)).exit, 0);
  await run('pack rackpower --key other.pem --out stranger.tgz');
  assert.match(
    (await run('install stranger.tgz')).stderr,
    /the installed version by SHA256:.*Ask the vendor/,
  );
});

test('an unsigned package is refused without --unsigned, and a folder that was not installed is never replaced', async (t) => {
  const { run, plugins, directory } = vendorAndSite(t);
  assert.match((await run('pack rackpower')).stdout, /not signed/);
  const refused = await run('install rackpower-2.3.0.tgz');
  assert.match(refused.stderr, /it is not signed, so nobody vouches for it/);
  cpSync(path.join(directory, 'rackpower'), path.join(plugins, 'rackpower'), { recursive: true });
  const own = await run('install rackpower-2.3.0.tgz --unsigned');
  assert.match(
    own.stderr,
    /site\/rackpower was not put there by "ironic-edge plugin install"; move it away yourself/,
  );
  assert.ok(existsSync(path.join(plugins, 'rackpower/plugin.json')));
});

test('a package is installed from a URL that redirects, and a 404 answer or a file that is no package is refused', async (t) => {
  const { run, directory, plugins } = vendorAndSite(t);
  await run('pack rackpower --key key.pem');
  const server = createServer((request, response) => {
    if (request.url === '/plugin') return response.writeHead(302, { location: '/plugin.tgz' }).end();
    if (request.url !== '/plugin.tgz') return response.writeHead(404).end();
    return response.end(readFileSync(path.join(directory, 'rackpower-2.3.0.tgz')));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  assert.match((await run(`install ${url}/none`)).stderr, /\/none was answered with 404/);
  const refused = await run('install key.pem');
  assert.match(refused.stderr, /key\.pem is no plugin package that can be trusted: it cannot be unpacked/);
  const { stderr, exit } = await run(`install ${url}/plugin --key key.pem`);
  assert.deepEqual([exit, stderr], [0, '']);
  assert.match((await run('list')).stdout, new RegExp(`from ${url}/plugin, signed by`));
  const elsewhere = await run(`install ${url}/plugin --into /tmp`);
  assert.equal(elsewhere.exit, 2);
  assert.ok(elsewhere.stderr.includes(`--into /tmp: expected a directory of [plugins] path: ${plugins}`));
});

test('a daemon of another user may read a plugin that was installed with the umask 077', async (t) => {
  const { run, plugins } = vendorAndSite(t);
  await run('pack rackpower --key key.pem');
  const umask = process.umask(0o077);
  try {
    await run('install rackpower-2.3.0.tgz --key key.pem');
  } finally {
    process.umask(umask);
  }
  const found = readdirSync(path.join(plugins, '.installed'), { recursive: true, withFileTypes: true });
  assert.ok(found.some((entry) => entry.isFile()));
  for (const entry of found) {
    const { mode } = statSync(path.join(entry.parentPath, entry.name));
    const needed = entry.isDirectory() ? 0o555 : 0o444;
    assert.equal(mode & needed, needed, `${entry.name} has mode ${mode.toString(8)}`);
  }
});
