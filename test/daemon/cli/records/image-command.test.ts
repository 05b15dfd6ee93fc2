import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeCommand } from '../../../../daemon/cli/nodes/node-command.ts';
import { imageCommand } from '../../../../daemon/cli/records/image-command.ts';
import { architectures, knownImages } from '../../../../daemon/model/known-images.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';

test('image add creates a record of each known system for each architecture, which the daemon accepts', async (t) => {
  const { url, services } = await startListening(t, {});
  const add = (...args: readonly string[]) =>
    runCommand((context) => imageCommand(['add', ...args], context), { OS_ENDPOINT: url });
  for (const name of knownImages.keys())
    for (const arch of architectures) {
      const { code, out, errors } = await add(name, '--arch', arch);
      assert.deepEqual([code, errors], [0, ''], `${name} ${arch}`);
      assert.equal(out, arch === 'x86_64' ? `${name}\n` : `${name}-aarch64\n`);
      assert.equal(services.db.images.findBy('name', out.trim())?.architecture, arch);
    }
  assert.equal(
    services.db.images.findBy('name', 'debian-13')?.source,
    'https://cloud.debian.org/images/cloud/trixie/latest/debian-13-generic-amd64.qcow2',
  );
});

test('image add takes a mirror, and refuses a wrong system, architecture and mirror with exit code 2', async (t) => {
  const { url, services } = await startListening(t, {});
  const add = (...args: readonly string[]) =>
    runCommand((context) => imageCommand(['add', ...args], context), { OS_ENDPOINT: url });
  const wrong: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['debain-13'], /did you mean debian-13\?/],
    [['windows'], /Expected one of debian-12, /],
    [['debian-13', '--arch', 'arm64'], /expected x86_64 or aarch64/],
    [['debian-13', '--mirror', 'mirror.test'], /expected an http or https URL/],
  ];
  for (const [args, said] of wrong) {
    const { code, errors } = await add(...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(errors, said);
  }
  await add('debian-13', '--mirror', 'http://mirror.test/debian/');
  const { source, checksum } = services.db.images.findBy('name', 'debian-13') ?? assert.fail();
  assert.deepEqual(
    [source, checksum],
    [
      'http://mirror.test/debian/trixie/latest/debian-13-generic-amd64.qcow2',
      'http://mirror.test/debian/trixie/latest/SHA512SUMS',
    ],
  );
});

test('node deploy --image NAME stores the name of an image of the catalogue', async (t) => {
  const { url, services } = await startListening(t, {});
  const environment = { OS_ENDPOINT: url };
  await runCommand((context) => imageCommand(['add', 'debian-13'], context), environment);
  const node = (...args: readonly string[]) =>
    runCommand((context) => nodeCommand(args, context), environment);
  const uuid = (await node('create', 'driver=fake-hardware', 'name=web-1')).out.trim();
  services.db.nodes.update(uuid, { provision_state: 'available', power_state: 'power off' });
  const { code, errors } = await node('deploy', 'web-1', '--image', 'debian-13');
  assert.deepEqual([code, errors], [0, '']);
  assert.equal(services.db.nodes.get(uuid)?.instance_info['image_source'], 'debian-13');
});
