import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { rackCommand } from '../../../daemon/cli/rack-command.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { DRIVER } from '../../../daemon/simulator/rack.ts';

async function answered(args: readonly string[]) {
  const output = { stdout: '', stderr: '' };
  const to = (stream: keyof typeof output) => ({ write: (text: string) => (output[stream] += text) });
  const code = await rackCommand(args, { environment: {}, stdout: to('stdout'), stderr: to('stderr') });
  return { code, ...output };
}

test('rack prints its usage for --help and for wrong arguments', async () => {
  const help = await answered(['--help']);
  assert.deepEqual([help.code, help.stderr], [0, '']);
  assert.ok(help.stdout.includes(`IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES=${DRIVER} `));
  for (const args of [
    [],
    ['0'],
    ['-1'],
    ['many'],
    ['1.5'],
    ['1', '2'],
    ['1', '--colour'],
    ['1', '--boot-seconds', 'x'],
    ['1', '--redfish', 'commodore'],
    ['1', '--redfish', 'all', '--ipmi'],
  ]) {
    const { code, stdout, stderr } = await answered(args);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.ok(stderr.startsWith(`${help.stdout}\nironic-edge: `), args.join(' '));
  }
});

test('rack enrols its machines, prints their nodes, and reuses the nodes in a second run', async (t) => {
  const daemon = await startListening(t, {
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: DRIVER,
      IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
    },
  });
  const nodes = async () =>
    (await (
      await fetch(`${daemon.url}/v1/nodes?fields=uuid,name,driver_info`, {
        headers: { 'x-openstack-ironic-api-version': '1.95' },
      })
    ).json()) as { nodes: { uuid: string; name: string; driver_info: Record<string, string> }[] };
  const seen: string[][] = [];
  for (let run = 0; run < 2; run += 1) {
    const command = path.join(import.meta.dirname, '../../../daemon/cli/ironic-edge');
    const child = spawn(command, ['rack', '2', '--url', daemon.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    const exited = once(child, 'close');
    let printed = '';
    for await (const line of createInterface({ input: child.stdout })) {
      printed += `${line}\n`;
      if (line.includes('rack-002 is node')) break;
    }
    const listed = (await nodes()).nodes;
    for (const { uuid, name, driver_info } of listed)
      assert.ok(
        printed.includes(`${name} is node ${uuid}, BMC ${driver_info['simulated_address']}\n`),
        printed,
      );
    seen.push(listed.flatMap(({ uuid, name }) => [uuid, name]));
    child.kill('SIGINT');
    assert.deepEqual(await exited, [0, null]);
  }
  const [first, second] = seen;
  assert.deepEqual([first?.[1], first?.[3]], ['rack-001', 'rack-002']);
  assert.deepEqual(second, first);
});

test('rack reports an unreachable daemon and a disabled driver', async (t) => {
  await assert.rejects(
    answered(['1', '--url', 'http://127.0.0.1:1']),
    /no daemon can be reached at http:\/\/127\.0\.0\.1:1/,
  );
  const { url } = await startListening(t, {});
  await assert.rejects(answered(['1', '--url', url]), /supports driver simulated\. It is not enabled/);
});

test('rack --redfish all enrols machines with BMCs of different shapes, one of which the daemon then manages', async (t) => {
  const daemon = await startListening(t, {
    environment: { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish' },
  });
  const command = path.join(import.meta.dirname, '../../../daemon/cli/ironic-edge');
  const child = spawn(command, ['rack', '2', '--redfish', 'all', '--url', daemon.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'close');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 2) break;
  assert.match(lines[1] ?? '', /redfish-002 is node [0-9a-f-]{36}, BMC http:\/\/127\.0\.0\.1:\d+$/);
  const headers = { 'x-openstack-ironic-api-version': '1.95', 'content-type': 'application/json' };
  const node = () =>
    fetch(`${daemon.url}/v1/nodes/redfish-002`, { headers }).then((reply) => reply.json()) as Promise<{
      provision_state: string;
      properties: object;
    }>;
  const body = JSON.stringify({ target: 'manage' });
  await fetch(`${daemon.url}/v1/nodes/redfish-002/states/provision`, { method: 'PUT', headers, body });
  while ((await node()).provision_state === 'verifying')
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { provision_state, properties } = await node();
  assert.deepEqual([provision_state, properties], ['manageable', { vendor: 'Dell' }]);
  child.kill('SIGINT');
  assert.deepEqual(await exited, [0, null]);
});
