import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { agentImageCommand } from '../../../../daemon/cli/agent-image/agent-image-command.ts';
import {
  type BuildOptions,
  imagesIn,
  kernelIn,
  ramdiskIn,
  usedImage,
  useImage,
} from '../../../../daemon/cli/agent-image/agent-images.ts';
import { makeAgentImage, recipeOf } from '../../../../daemon/cli/agent-image/build/build-agent-image.ts';
import { hostArchitecture } from '../../../../daemon/cli/agent-image/build/packages.ts';
import { namedImages } from '../../../../daemon/cli/agent-image/named-images.ts';
import {
  buildAgentImage,
  lockImages,
  type ImageUpdate,
  updateAgentImages,
} from '../../../../daemon/cli/agent-image/upkeep.ts';
import { createDatabase } from '../../../../daemon/db/database.ts';
import { readConfigWithPlugins } from '../../../../daemon/plugin-host/configured-plugins.ts';
import { plantImage } from '../../../fakes/agent-images.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { nodeWith } from '../../doctor/planted-host.ts';

const host = hostArchitecture();
const other = host === 'amd64' ? 'arm64' : 'amd64';

function place(t: TestContext) {
  const state = mkdtempSync(path.join(tmpdir(), 'agent-images-'));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const directory = path.join(state, 'agent-images');
  mkdirSync(directory);
  const said: string[] = [];
  const made: BuildOptions[] = [];
  const update = (given: Partial<ImageUpdate> = {}) =>
    updateAgentImages({
      directory,
      progress: { say: (line) => void said.push(line), doing: () => undefined },
      isNamed: () => false,
      async make({ suite, architecture, mirror }) {
        made.push({ suite, architecture, mirror });
        const number = made.length + 1;
        const built = `2026-02-0${number}T00:00:00.000Z`;
        return plantImage(directory, `${suite}-${architecture}-${number}`, {
          suite,
          architecture,
          mirror,
          built,
        }).name;
      },
      ...given,
    });
  const command = (...args: readonly string[]) =>
    runCommand((context) => agentImageCommand([...args], context), { IRONIC_DEFAULT__STATE_PATH: state });
  return {
    state,
    directory,
    said,
    made,
    update,
    command,
    names: () => imagesIn(directory).map(({ name }) => name),
  };
}

const bootedKernel = (directory: string) => readFileSync(path.join(directory, host, 'agent.kernel'), 'utf8');

test('an update builds with the options of the image that machines boot, and keeps that one to go back to', async (t) => {
  const { directory, update, made, names, said } = place(t);
  const mirror = 'http://mirror.example/debian';
  await useImage(directory, plantImage(directory, `forky-${host}-1`, { suite: 'forky', mirror }));
  await update();
  assert.deepEqual(made, [{ suite: 'forky', architecture: host, mirror }]);
  assert.equal(bootedKernel(directory), `kernel of forky-${host}-2`);
  assert.deepEqual(names(), [`forky-${host}-2`, `forky-${host}-1`]);
  await update();
  assert.deepEqual(names(), [`forky-${host}-3`, `forky-${host}-2`], 'the number of images is bounded');
  assert.match(said.join('\n'), /^forky-\S+-1: removed; forky-\S+-2 stays to go back to$/m);
});

test('an update renews the image of each architecture that machines boot, and no other', async (t) => {
  const { directory, update, made } = place(t);
  await useImage(directory, plantImage(directory, 'own'));
  await useImage(directory, plantImage(directory, 'foreign', { architecture: other }));
  await update();
  assert.deepEqual(made.map(({ architecture }) => architecture).toSorted(), ['amd64', 'arm64']);
  assert.equal(usedImage(directory, other)?.image.architecture, other);
});

test('a build that fails leaves the image that machines boot, and an update without one is refused', async (t) => {
  const { directory, update, names } = place(t);
  await assert.rejects(update(), /agent-images holds no image: run "ironic-edge agent-image build" first/);
  await useImage(directory, plantImage(directory, 'one'));
  await assert.rejects(update({ make: () => Promise.reject(new Error('no network')) }), /no network/);
  assert.deepEqual([bootedKernel(directory), names()], ['kernel of one', ['one']]);
});

test('an image whose files are not those that were built is not used', async (t) => {
  const { directory, update, command } = place(t);
  await useImage(directory, plantImage(directory, 'one'));
  for (const fileIn of [kernelIn, ramdiskIn])
    await assert.rejects(
      update({
        async make() {
          const { folder, name } = plantImage(directory, 'broken');
          writeFileSync(fileIn(folder), 'cut off');
          return name;
        },
      }),
      /broken\/agent\.\w+ has the SHA-256 \w+, and \w+ when it was built: it is damaged/,
    );
  await assert.rejects(command('use', 'broken'), /it is damaged/);
  assert.equal(bootedKernel(directory), 'kernel of one');
});

test('images that the configuration or a node names, or that a machine boots now, are not removed', async (t) => {
  const { state, directory, update, names } = place(t);
  for (const name of ['configured', 'of-a-node', 'booted-now', 'unnamed', 'present'])
    plantImage(directory, name);
  await useImage(directory, plantImage(directory, 'present'));
  const db = createDatabase(path.join(state, 'ironic-edge.sqlite'));
  const node = nodeWith({ driver_info: { deploy_ramdisk: `file://${directory}/of-a-node/agent.ramdisk` } });
  db.nodes.insert(node);
  db.networkBoots.put(node.uuid, { kernel: `${directory}/booted-now/agent.kernel` });
  db.close();
  const loaded = readConfigWithPlugins({
    configFile: undefined,
    environment: {
      IRONIC_DEFAULT__STATE_PATH: state,
      IRONIC_CONDUCTOR__RESCUE_KERNEL: `file://${directory}/configured/agent.kernel`,
    },
  });
  await update({ isNamed: await namedImages(loaded) });
  assert.deepEqual(names().toSorted(), [
    'booted-now',
    'configured',
    'of-a-node',
    'present',
    `trixie-${host}-2`,
  ]);
});

test('only one command at a time changes the images', async (t) => {
  const { directory, update, command } = place(t);
  await useImage(directory, plantImage(directory, 'one'));
  {
    using _ = await lockImages(directory);
    await assert.rejects(update(), /Another "ironic-edge agent-image" changes the images/);
    await assert.rejects(command('use', 'one'), /Wait until it has ended/);
  }
  await update();
});

test('build takes the image that is there, and lets machines boot it only if they have none to boot', async (t) => {
  const { directory } = place(t);
  const said: string[] = [];
  const build = () =>
    buildAgentImage(
      { directory, suite: 'trixie', architecture: host },
      { say: (line) => void said.push(line), doing: () => undefined },
    );
  plantImage(directory, 'built', { recipe: recipeOf() });
  assert.equal((await build()).name, 'built');
  assert.equal(bootedKernel(directory), 'kernel of built');
  await useImage(directory, plantImage(directory, 'older', { recipe: 'other' }));
  assert.equal((await build()).name, 'built');
  assert.equal(bootedKernel(directory), 'kernel of older');
  assert.match(said.join('\n'), /built: built on 2026-01-01.*agent-image update" builds a new one/);
});

test('list shows the images and which one machines boot, and use goes back to an older one', async (t) => {
  const { directory, command } = place(t);
  assert.match((await command('list')).out, /agent-images holds no image\n$/);
  plantImage(directory, 'older');
  await useImage(directory, plantImage(directory, 'newer', { built: '2026-03-01T00:00:00.000Z' }));
  mkdirSync(path.join(directory, '.newest.1.building'));
  const listed = async () =>
    (JSON.parse((await command('list', '--json')).out) as readonly Record<string, unknown>[]).map(
      ({ name, used, debian, bytes }) => [name, used, debian, bytes],
    );
  assert.deepEqual(await listed(), [
    ['newer', true, '13.2', 'kernel of newer'.length + 'ramdisk of newer'.length],
    ['older', false, '13.2', 'kernel of older'.length + 'ramdisk of older'.length],
  ]);
  assert.match((await command('list')).out, /^name +used +built +bytes +architecture +suite +debian +agent/);
  assert.equal((await command('use', 'older')).out, 'older: machines boot it from now on\n');
  assert.deepEqual(
    (await listed()).map(([name, used]) => [name, used]),
    [
      ['newer', false],
      ['older', true],
    ],
  );
  assert.equal(readlinkSync(path.join(directory, host)), 'older');
  await assert.rejects(command('use', 'oldr'), /holds no image "oldr": did you mean older\?/);
  await assert.rejects(command('use', '../agent-images/older'), /holds no image/);
  assert.deepEqual((await command('use')).code, 2);
  writeFileSync(path.join(directory, 'newer/build.json'), '{');
  await assert.rejects(command('list'), /newer\/build\.json is not what .* wrote/);
  assert.ok(existsSync(path.join(directory, 'older')));
});

test(
  'a build that fails leaves its log until the next build, and nothing of a killed build is left',
  { skip: process.getuid?.() !== 0 && 'only root may build' },
  async (t) => {
    const { state, directory, update } = place(t);
    for (const program of ['debootstrap', 'cpio'])
      writeFileSync(path.join(state, program), '#!/bin/sh\necho no network\nexit 3\n', { mode: 0o755 });
    const { PATH = '' } = process.env;
    process.env['PATH'] = `${state}:${PATH}`;
    t.after(() => (process.env['PATH'] = PATH));
    await useImage(directory, plantImage(directory, 'one'));
    const { pid: ended } = spawnSync('true');
    mkdirSync(path.join(directory, `.two.${ended}.building`));
    mkdirSync(path.join(directory, `.three.${process.ppid}.building`));
    writeFileSync(path.join(directory, 'two.log'), '');
    await assert.rejects(
      update({ make: makeAgentImage }),
      /debootstrap .* ended with status 3[^]*no network/,
    );
    const left = readdirSync(directory).toSorted();
    assert.deepEqual(
      left.filter((name) => !name.endsWith('.log')),
      [`.three.${process.ppid}.building`, host, 'one'],
    );
    assert.equal(left.length, 4, 'one log, that of the build that failed');
    assert.equal(bootedKernel(directory), 'kernel of one');
  },
);
