import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { banner, programName } from '../../../../daemon/cli/host/banner.ts';

const running = {
  url: 'https://127.0.0.1:6385',
  authentication: 'noauth',
  hardwareTypes: ['fake-hardware'],
  hooks: ['ports'],
  database: '/var/lib/ironic-edge/ironic-edge.sqlite',
  program: 'ironic-edge',
} as const;

test('the banner shows the endpoint and the authentication type for clients', () => {
  assert.match(banner(running), /^ +export OS_AUTH_TYPE=none OS_ENDPOINT=https:\/\/127\.0\.0\.1:6385$/m);
  assert.match(
    banner({ ...running, authentication: 'http_basic' }),
    /^ +export OS_AUTH_TYPE=http_basic OS_USERNAME=USER OS_PASSWORD=PASSWORD OS_ENDPOINT=https:/m,
  );
});

test('the banner names the page', () => {
  assert.match(banner(running), /^Next: open https:\/\/127\.0\.0\.1:6385\/ui\/ or, in a shell:$/m);
});

const commandsFor = (type: string): readonly string[] =>
  (banner({ ...running, hardwareTypes: [type] }).split(/^Next: .*\n/m)[1] ?? '')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim());

test('the commands fit the hardware type', () => {
  for (const [type, login] of [
    ['ipmi', 'ipmi'],
    ['idrac', 'redfish'],
  ])
    assert.deepEqual(commandsFor(type ?? ''), [
      `ironic-edge node create driver=${type} name=node-1 driver_info/${login}_address=BMC driver_info/${login}_username=USER driver_info/${login}_password=PASSWORD`,
      'ironic-edge node manage node-1 --wait',
    ]);
  assert.deepEqual(commandsFor('acme'), [
    'ironic-edge driver properties acme',
    'ironic-edge node create driver=acme name=node-1 driver_info/NAME=VALUE ...',
    'ironic-edge node manage node-1 --wait',
  ]);
});

test('the program is called by its path where the shell does not find it', () => {
  const folder = path.join(import.meta.dirname, '../../../../daemon/cli');
  assert.equal(programName(`/usr/bin:${folder}`), 'ironic-edge');
  assert.equal(programName('/usr/bin'), path.join(folder, 'ironic-edge'));
});

for (const [type, environment] of [
  ['fake-hardware', {}],
  ['simulated', { IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8' }],
] as const)
  test(`the commands printed at the start work as they are: ${type}`, async (t) => {
    await using daemon = await DaemonProcess.start({
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: type,
      ...environment,
    });
    const printed = banner({
      ...running,
      url: daemon.url,
      hardwareTypes: [type],
      program: programName(''),
    });
    const lines = (printed.split(/^Next: .*\n/m)[1] ?? '').trim().split('\n');
    const setting = lines[0]?.trim();
    let out = '';
    for (const line of lines.slice(1)) {
      const isBackground = line.endsWith('&');
      const command = `${setting}\nexec ${line.trim().replace(/ &$/, '')}`;
      const shell = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
      t.after(() => shell.kill());
      if (isBackground) await once(shell.stdout, 'data');
      else out = await text(shell.stdout);
    }
    assert.match(out, /done +manageable/);
  });
