import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { rackCommand } from '../../../daemon/cli/rack-command.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { DRIVER } from '../../../daemon/simulator/rack.ts';

async function answered(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const output = { stdout: '', stderr: '' };
  const to = (stream: keyof typeof output) => ({ write: (text: string) => (output[stream] += text) });
  const code = await rackCommand(args, { environment, stdout: to('stdout'), stderr: to('stderr') });
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
    ['1', '--post-seconds', '-1'],
    ['1', '--boots-port', '65536'],
    ['1', '--boots-port', 'any'],
    ['1', '--redfish', 'commodore'],
    ['1', '--redfish', 'all', '--ipmi'],
    ['1', '--factory', '--ipmi'],
    ['1', '--factory', '--bmc-network', '127.64.0.0'],
    ['1', '--factory', '--bmc-network', '127.64.0.1/16'],
    ['3', '--factory', '--bmc-network', '127.64.0.0/30'],
    ['1', '--factory', '--bmc-network', '::1/64'],
    ['1', '--factory', '--dhcp', 'localhost'],
    ['1', '--redfish', 'all', '--dhcp', '127.0.0.1'],
  ]) {
    const { code, stdout, stderr } = await answered(args);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, /^usage: ironic-edge rack N .*\n( .*\n)*\nironic-edge: /, args.join(' '));
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
    const child = spawn(command, ['rack', '2'], {
      env: { ...process.env, OS_ENDPOINT: daemon.url },
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

test('rack tells at --boots-port what each machine has booted', async (t) => {
  const daemon = await startListening(t, {
    environment: { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: DRIVER },
  });
  const port = await freeTcpPort();
  const command = path.join(import.meta.dirname, '../../../daemon/cli/ironic-edge');
  const words = ['rack', '2', '--post-seconds', '0.1', '--boot-seconds', '0', '--boots-port', String(port)];
  const child = spawn(command, words, {
    env: { ...process.env, OS_ENDPOINT: daemon.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const boots = async () => (await fetch(`http://127.0.0.1:${port}/`)).json();
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('rack-001 booted nothing')) break;
    if (!line.includes('rack-002 is node')) continue;
    assert.deepEqual(await boots(), { 'rack-001': [], 'rack-002': [] });
    const { status } = await fetch(`${daemon.url}/v1/nodes/rack-001/states/power`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.95' },
      body: JSON.stringify({ target: 'power on' }),
    });
    assert.equal(status, 202);
  }
  assert.deepEqual(await boots(), { 'rack-001': ['nothing'], 'rack-002': [] });
});

test('rack obeys OS_ENDPOINT with user and password, and refuses a socket, which agents cannot reach', async (t) => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(401).end('who are you?');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const environment = { OS_ENDPOINT: `http://127.0.0.1:${port}/v1`, OS_USERNAME: 'a', OS_PASSWORD: 'b' };
  await assert.rejects(answered(['1'], environment), /the daemon refuses \(401\): who are you\?/);
  assert.deepEqual(new Set(asked), new Set([`Basic ${Buffer.from('a:b').toString('base64')}`]));
  const { code, stderr } = await answered(['1'], { OS_ENDPOINT: 'unix:/run/x' });
  assert.equal(code, 2);
  assert.match(stderr, /OS_ENDPOINT is a socket: expected a URL/);
});

test('rack reports an unreachable daemon and a disabled driver', async (t) => {
  await assert.rejects(
    answered(['1'], { OS_ENDPOINT: 'http://127.0.0.1:1' }),
    /no daemon can be reached at http:\/\/127\.0\.0\.1:1: .*set OS_ENDPOINT to the URL/,
  );
  const { url } = await startListening(t, {});
  await assert.rejects(
    answered(['1'], { OS_ENDPOINT: url }),
    /supports driver simulated\. It is not enabled/,
  );
});

test('rack --redfish all enrols machines with BMCs of different shapes, one of which the daemon then manages', async (t) => {
  const daemon = await startListening(t, {
    environment: { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish' },
  });
  const command = path.join(import.meta.dirname, '../../../daemon/cli/ironic-edge');
  const child = spawn(command, ['rack', '2', '--redfish', 'all'], {
    env: { ...process.env, OS_ENDPOINT: daemon.url },
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
