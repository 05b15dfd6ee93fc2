import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DaemonProcess, type ApiNode } from '../../../../fakes/daemon/daemon-process.ts';
import { runProcess } from '../../../../fakes/clients/run-process.ts';

const FAKE = ['driver=fake-hardware', 'deploy_interface=fake', 'inspect_interface=fake'];

test('create --provide enrols, inspects and cleans a machine, and prints nothing but its UUID', async () => {
  await using daemon = await DaemonProcess.start();
  const { code, out, errors } = await runProcess(daemon.url, [
    'node',
    'create',
    'name=a',
    ...FAKE,
    '--provide',
  ]);
  assert.equal(code, 0, errors);
  const { body: node } = await daemon.request<ApiNode>('GET', '/v1/nodes/a');
  assert.equal(node.provision_state, 'available');
  assert.notEqual(node.inspection_finished_at, null);
  assert.equal(out, `${node.uuid}\n`);
});

test('when create --provide cannot go on, the node stays and the commands that are left are named', async () => {
  await using daemon = await DaemonProcess.start();
  const words = [
    'node',
    'create',
    'name=a',
    'driver=fake-hardware',
    'inspect_interface=no-inspect',
    '--provide',
  ];
  const { code, errors } = await runProcess(daemon.url, words);
  assert.notEqual(code, 0);
  assert.match(
    errors,
    /^The node a exists\. What is left: ironic-edge node inspect a --wait && ironic-edge node provide a --wait$/m,
  );
  const { body: node } = await daemon.request<ApiNode>('GET', '/v1/nodes/a');
  assert.equal(node.provision_state, 'manageable');
});

test('a field that is not assigned is refused before anything is created', async () => {
  await using daemon = await DaemonProcess.start();
  const { code } = await runProcess(daemon.url, ['node', 'create', 'name=a', 'driver', '--provide']);
  assert.equal(code, 2);
  assert.equal((await daemon.request('GET', '/v1/nodes/a')).status, 404);
});
