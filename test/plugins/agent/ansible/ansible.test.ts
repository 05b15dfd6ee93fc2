// The deploy interface `ansible` with the real ansible-playbook, which runs on this host and writes to a file as if to a disk.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { ansibleDeploy } from '../../../../plugins/agent/ansible/ansible.ts';
import { chosenDisk } from '../../../../plugins/agent/ansible/chosen-disk.ts';
import { failureIn } from '../../../../plugins/agent/ansible/run-playbook.ts';
import manifest from '../../../../plugins/agent/plugin.json' with { type: 'json' };
import { rejectsFault, throwsFault } from '../../../fakes/faults.ts';
import { fakeTask } from '../../../fakes/task.ts';
import { skipWithout } from '../../../setup/packages.ts';

const skip = skipWithout('ansible-core') || skipWithout('fdisk');

const MEBIBYTE = 1024 ** 2;
const DISK_MEBIBYTES = 160;

const defaultsOf = (section: 'agent' | 'ansible' | 'deploy') =>
  Object.fromEntries(
    Object.entries(manifest.configuration[section].properties as Record<string, { default?: unknown }>).map(
      ([name, option]) => [name, option.default ?? null],
    ),
  );

interface Scene {
  readonly instance?: JsonObject;
  readonly ansible?: Readonly<Record<string, unknown>>;
}

async function scene(t: TestContext, { instance = {}, ansible = {} }: Scene = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ansible-test-'));
  const disk = path.join(folder, 'disk');
  writeFileSync(disk, '');
  truncateSync(disk, DISK_MEBIBYTES * MEBIBYTE);
  const image = partitionedImage(folder);
  const server = createServer((_, response) => void response.end(image)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const task = fakeTask({
    node: {
      instance_info: {
        image_source: `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.raw`,
        image_disk_format: 'raw',
        image_checksum: createHash('sha256').update(image).digest('hex'),
        ...instance,
      },
      driver_internal_info: { agent_url: 'https://127.0.0.1:9999' },
      provision_state: 'deploying',
    },
    configuration: {
      agent: defaultsOf('agent'),
      deploy: { ...defaultsOf('deploy'), default_boot_mode: 'uefi' },
      conductor: {},
      ansible: {
        ...defaultsOf('ansible'),
        default_username: 'root',
        ansible_extra_args: '--connection=local',
        default_python_interpreter: '/usr/bin/python3',
        playbook_timeout: 120,
        ...ansible,
      },
    },
    agent: {
      run: async (name) => ({
        id: '1',
        name,
        status: 'SUCCEEDED',
        error: null,
        result: { disks: [{ name: disk, size: 20 * 1024 ** 3 }] },
      }),
    },
    driver: { boot: { properties: {}, validate() {}, prepareRamdisk: async () => undefined } },
  });
  const write = async () => {
    await ansibleDeploy.validate(task);
    return ansibleDeploy.steps?.['write_image']?.run(task, {});
  };
  return { task, disk, image, write };
}

/** A small GPT disk with random content. */
function partitionedImage(folder: string): Buffer {
  const file = path.join(folder, 'image');
  writeFileSync(
    file,
    Buffer.concat([Buffer.alloc(MEBIBYTE), randomBytes(2 * MEBIBYTE), Buffer.alloc(MEBIBYTE)]),
  );
  execFileSync('sfdisk', ['--quiet', file], { input: 'label: gpt\nstart=2048, size=4096\n' });
  return readFileSync(file);
}

const leftovers = () => readdirSync(tmpdir()).filter((name) => /^ansible-(?!test)/.test(name));

test('the playbook writes the image, and the config drive behind it', { skip }, async (t) => {
  const before = leftovers();
  const { disk, image, write } = await scene(t, { instance: { configdrive: { user_data: '#hush-cloud' } } });
  assert.equal(await write(), 'done');
  const written = readFileSync(disk);
  assert.equal(written.length, DISK_MEBIBYTES * MEBIBYTE);
  assert.deepEqual(written.subarray(MEBIBYTE, 3 * MEBIBYTE), image.subarray(MEBIBYTE, 3 * MEBIBYTE));
  const { partitiontable } = JSON.parse(execFileSync('sfdisk', ['--json', disk], { encoding: 'utf8' })) as {
    partitiontable: { partitions: { start: number; size: number }[] };
  };
  const [, drive] = partitiontable.partitions;
  assert.equal(drive?.size, 131_072);
  const iso = written.subarray((drive?.start ?? 0) * 512);
  assert.equal(iso.toString('latin1', 0x8001, 0x8006), 'CD001');
  assert.ok(iso.includes('#hush-cloud'));
  assert.deepEqual(leftovers(), before);
});

test('the fault for an image that does not match image_checksum names both digests', { skip }, async (t) => {
  const { write } = await scene(t, { instance: { image_checksum: 'a'.repeat(64) } });
  await rejectsFault(write(), 'AgentFailed', /sha256 of the image is [0-9a-f]{64}, expected a{64}/);
});

test('an image server that refuses connections fails the deployment', { skip }, async (t) => {
  const { write } = await scene(t, { instance: { image_source: 'http://127.0.0.1:1/image.raw' } });
  await rejectsFault(write(), 'AgentFailed', /the playbook .*deploy\.yaml.*fatal.*curl: \(7\)/);
});

test('a playbook that times out is killed, and so are its commands', { skip }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ansible-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const playbook = [{ hosts: 'nodes', gather_facts: false, tasks: [{ command: 'sleep 987654' }] }];
  writeFileSync(path.join(folder, 'deploy.yaml'), JSON.stringify(playbook));
  const { write } = await scene(t, { ansible: { playbooks_path: folder, playbook_timeout: 5 } });
  await rejectsFault(write(), 'AgentFailed', /within 5 s \(\[ansible\] playbook_timeout\)/);
  assert.equal(execFileSync('sh', ['-c', 'pgrep -f "sleep 98765[4]" || true'], { encoding: 'utf8' }), '');
});

test('the variables are in a file that only the daemon can read, and in no argument', { skip }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ansible-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const seen = path.join(folder, 'seen');
  const program = path.join(folder, 'program');
  writeFileSync(
    program,
    `#!/bin/sh\nfile=\${5#@}\n{ echo "$@"; stat -c %a "$file"; cat "$file"; } > ${seen}\n`,
    {
      mode: 0o755,
    },
  );
  const { write } = await scene(t, {
    instance: { configdrive: { user_data: 'hush' } },
    ansible: { ansible_playbook_script: program },
  });
  await write();
  const [words = '', mode, content = ''] = readFileSync(seen, 'utf8').split('\n');
  assert.match(words, /^\S+deploy\.yaml -i \S+inventory\.json -e @\S+variables\.json --connection=local$/);
  assert.equal(mode, '600');
  const { ironic } = JSON.parse(content) as { ironic: { configdrive: string; image: JsonObject } };
  assert.ok(ironic.configdrive.startsWith('H4sI'));
  assert.equal(ironic.image['algorithm'], 'sha256');
  assert.equal(statSync(program).mode & 0o777, 0o755);
});

test('validation refuses partition images, config drive URLs, missing playbooks', { skip }, async (t) => {
  for (const [instance, reason] of [
    [{ image_type: 'partition', root_gb: 10 }, /writes whole-disk images; use direct/],
    [{ configdrive: 'http://site.test/drive' }, /takes documents or an image, not a URL/],
  ] as const) {
    const { write } = await scene(t, { instance });
    await rejectsFault(write(), 'InvalidParameter', reason);
  }
  const { write } = await scene(t, { ansible: { default_deploy_playbook: '../../../etc/passwd' } });
  await rejectsFault(write(), 'InvalidParameter', /playbooks\/passwd.*no such file/);
});

test('on a host without Ansible, the fault says what to install', { skip }, async (t) => {
  const { write } = await scene(t, { ansible: { ansible_playbook_script: 'no-such-program' } });
  await rejectsFault(write(), 'AgentFailed', /no-such-program is not installed; apt install ansible-core/);
});

const hardware = {
  disks: [
    { name: '/dev/sda', size: 2 * 1024 ** 3 },
    { name: '/dev/sdb', size: 400 * 1024 ** 3, model: 'Samsung SSD' },
    { name: '/dev/sdc', size: 100 * 1024 ** 3 },
  ],
};

const chosen = (root_device?: JsonObject, properties: JsonObject = {}) =>
  chosenDisk(fakeTask({ node: { instance_info: root_device ? { root_device } : {}, properties } }), hardware);

test('the chosen disk matches the hints or, without hints, is the smallest that has 4 GiB', () => {
  assert.equal(chosen(), '/dev/sdc');
  assert.equal(chosen({ model: '<in> samsung' }), '/dev/sdb');
  assert.equal(chosen({}, { root_device: { model: '<in> samsung' } }), '/dev/sdb');
  throwsFault(
    () => chosen({ size: '> 1000' }),
    400,
    /no disk matches the hints .*the machine has "\/dev\/sda"/,
  );
  throwsFault(() => chosenDisk(fakeTask(), { disks: [] }), 400, /no disk has 4 GiB; the machine has none/);
});

test('the reason of a playbook that failed is its last failure, not one that it ignored', () => {
  const ignored = 'fatal: [node]: FAILED! => {"msg": "no swap"}\n...ignoring\n';
  const failed = 'fatal: [node]: FAILED! => {"msg": "no disk"}\n';
  const output = `${ignored}${'ok: [node]\n'.repeat(200)}${failed}\nPLAY RECAP ****\nnode : failed=1\n`;
  assert.equal(failureIn(output), 'fatal: [node]: FAILED! => {"msg": "no disk"}');
  assert.equal(failureIn('Killed\n\nPLAY RECAP ****\n'), 'Killed');
});
