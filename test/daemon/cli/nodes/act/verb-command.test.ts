import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { httpServer } from '../../../../fakes/services/http-server.ts';
import { DaemonProcess } from '../../../../fakes/daemon/daemon-process.ts';

const COMMAND = path.join(import.meta.dirname, '../../../../../daemon/cli/ironic-edge');

/** A change of power takes 600 seconds, longer than any test here, so that a command has to wait for it. */
const slowPower = { IRONIC_FAKE__POWER_DELAY: '600' };

/** A Redfish system, and what a client reads on the way to it. */
const SYSTEM = {
  '@odata.id': '/redfish/v1/Systems/1',
  RedfishVersion: '1.6.0',
  Systems: { '@odata.id': '/redfish/v1/Systems' },
  Members: [{ '@odata.id': '/redfish/v1/Systems/1' }],
  PowerState: 'Off',
  Actions: { '#ComputerSystem.Reset': { target: '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset' } },
};

const nodeOf = (daemon: DaemonProcess, name: string, fields: object = {}) =>
  daemon.request('POST', '/v1/nodes', {
    driver: 'fake-hardware',
    deploy_interface: 'fake',
    automated_clean: false,
    name,
    ...fields,
  });

function started(daemon: DaemonProcess, words: readonly string[], command: readonly string[] = [COMMAND]) {
  const [program = '', ...args] = [...command, ...words];
  const { NO_COLOR: _colour, ...environment } = process.env;
  const child = spawn(program, args, {
    env: { ...environment, TERM: 'xterm', OS_ENDPOINT: daemon.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr, [code]]) => ({ code: code as number, stdout, stderr }),
  );
  return { child, ended };
}

test('one command deploys several machines, and exits with 1 when one of them is refused', async () => {
  await using daemon = await DaemonProcess.start();
  const run = (...words: readonly string[]) => started(daemon, words).ended;
  for (const name of ['a', 'b', 'c']) await nodeOf(daemon, name);
  assert.equal((await run('node', 'manage', 'a', 'b', 'c', '--wait')).code, 0);
  const provided = await run('node', 'provide', 'a', 'b', '--wait', '--json');
  assert.deepEqual(JSON.parse(provided.stdout), [
    { node: 'a', outcome: 'done', note: 'available' },
    { node: 'b', outcome: 'done', note: 'available' },
  ]);
  const { code, stdout, stderr } = await run('node', 'deploy', 'a', 'b', 'c', '--wait');
  assert.equal(code, 1);
  assert.match(stdout, /^node +outcome +note\na +done +active\nb +done +active\nc +refused +PUT /);
  assert.match(stderr, /^a: active$/m);
  assert.ok(!`${stdout}${stderr}`.includes('\u001B'));
  assert.equal((await daemon.node('b')).provision_state, 'active');
  const alone = await run('node', 'deploy', 'c', '--wait');
  assert.deepEqual([alone.code, alone.stdout], [4, '']);
  assert.equal((await run('node', 'deploy', 'unknown')).code, 3);
});

test('a terminal shows a bar for each machine, in colours unless NO_COLOR is set', async () => {
  await using daemon = await DaemonProcess.start();
  await nodeOf(daemon, 'a');
  const shown = async (line: string) => {
    const { ended } = started(daemon, ['-qefc', line, '/dev/null'], ['script']);
    return (await ended).stdout;
  };
  const coloured = await shown(`'${COMMAND}' node manage a --wait`);
  assert.ok(coloured.includes(`\u001B[32ma [${'#'.repeat(20)}] manageable`), coloured);
  const plain = await shown(`NO_COLOR=1 '${COMMAND}' node provide a --wait`);
  assert.match(plain, /a \[#{20}\] available/);
  assert.ok(!plain.includes('\u001B[32m'), plain);
});

test('Ctrl-C and --timeout end the waiting, and the work goes on', async () => {
  await using daemon = await DaemonProcess.start(slowPower);
  const { body } = await nodeOf(daemon, 'a');
  const { child, ended } = started(daemon, ['node', 'power', 'on', 'a', '--wait']);
  // once it has printed its first line, the command waits
  await once(child.stderr, 'data');
  child.kill('SIGINT');
  const interrupted = await ended;
  assert.equal(interrupted.code, 130);
  assert.match(interrupted.stdout, /\na +accepted /);
  assert.equal((await daemon.node(String(body['uuid']))).target_power_state, 'power on');
  await nodeOf(daemon, 'b');
  const late = await started(daemon, ['node', 'power', 'on', 'b', '--wait', '--timeout', '2']).ended;
  assert.equal(late.code, 6);
  assert.match(late.stderr, /the work goes on for b\. "ironic-edge node list" shows the state of each node/);
  const alone = await started(daemon, ['node', 'power', 'off', 'b', '--timeout', '2']).ended;
  assert.equal(alone.code, 2);
  assert.match(alone.stderr, /--timeout limits the wait: give --wait, too/);
});

test('a power action that the BMC refuses is not done, with or without an earlier error', async (t) => {
  await using daemon = await DaemonProcess.start({
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish,fake-hardware',
  });
  let refuses = false;
  const bmc = await httpServer(t, (_, response) => {
    if (refuses) response.writeHead(400).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(SYSTEM));
  });
  await nodeOf(daemon, 'a', {
    driver: 'redfish',
    deploy_interface: 'direct',
    driver_info: {
      redfish_address: `http://127.0.0.1:${bmc.port}`,
      redfish_system_id: '/redfish/v1/Systems/1',
      redfish_auth_type: 'basic',
      redfish_username: 'admin',
      redfish_password: 'secret',
    },
  });
  const run = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await started(daemon, ['node', 'power', ...words, 'a', '--wait']).ended;
    return { code, shown: stdout + stderr };
  };
  const known = await run('off');
  assert.equal(known.code, 0, known.shown);
  refuses = true;
  for (const word of ['off', 'off', 'reboot']) {
    const { code, shown } = await run(word);
    assert.equal(code, 1, shown);
    assert.match(shown, /power off: Failed to change power state to/);
  }
});

test('the wait goes on after a restart of the daemon', async () => {
  await using daemon = await DaemonProcess.start({ ...slowPower, IRONIC_API__PORT: '0' });
  await nodeOf(daemon, 'a');
  const port = new URL(daemon.url).port;
  const { child, ended } = started(daemon, ['node', 'power', 'on', 'a', '--wait']);
  await once(child.stderr, 'data');
  await daemon.kill();
  await daemon.restart({ IRONIC_API__PORT: port });
  const { code, stderr } = await ended;
  // the restarted daemon reads the power state and drops the request, which the command takes for a failure
  assert.equal(code, 1, stderr);
  assert.match(stderr, /The work goes on; waiting for the API\.\n/);
});
