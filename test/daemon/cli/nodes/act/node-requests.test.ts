import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import type { CommandContext } from '../../../../../daemon/cli/command.ts';
import { nodeRequests } from '../../../../../daemon/cli/nodes/act/node-requests.ts';
import { nodeVerbs } from '../../../../../daemon/cli/nodes/act/node-verbs.ts';
import { nodeCommand } from '../../../../../daemon/cli/nodes/node-command.ts';
import { fileWith } from '../../../../fakes/file-with.ts';
import { httpServer } from '../../../../fakes/services/http-server.ts';
import { runCommand } from '../../../../fakes/clients/run-command.ts';

/** For each command of the group `node`: its arguments after NODE, and its request, with `/v1/nodes/NODE/` left out. */
const requests: Readonly<Record<string, readonly [given: readonly string[], sent: string]>> = {
  validate: [[], 'GET validate'],
  states: [[], 'GET states'],
  'history list': [[], 'GET history?detail=true'],
  'history get': [['e/1'], 'GET history/e%2F1'],
  children: [[], 'GET children'],
  'maintenance set': [['broken fan'], 'PUT maintenance {"reason":"broken fan"}'],
  'maintenance unset': [[], 'DELETE maintenance'],
  'boot-device show': [[], 'GET management/boot_device'],
  'boot-device list': [[], 'GET management/boot_device/supported'],
  'boot-device once': [['pxe'], 'PUT management/boot_device {"boot_device":"pxe","persistent":false}'],
  'boot-device always': [['disk'], 'PUT management/boot_device {"boot_device":"disk","persistent":true}'],
  'boot-mode': [['uefi'], 'PUT states/boot_mode {"target":"uefi"}'],
  'secure-boot on': [[], 'PUT states/secure_boot {"target":true}'],
  'secure-boot off': [[], 'PUT states/secure_boot {"target":false}'],
  'inject-nmi': [[], 'PUT management/inject_nmi {}'],
  'console-on': [[], 'PUT states/console {"enabled":true}'],
  'console-off': [[], 'PUT states/console {"enabled":false}'],
  'console-show': [[], 'GET states/console'],
  'indicator list': [[], 'GET management/indicators'],
  'indicator show': [['led-0@chassis'], 'GET management/indicators/led-0%40chassis'],
  'indicator set': [['led-0@chassis', 'on'], 'PUT management/indicators/led-0%40chassis {"state":"on"}'],
  'bios list': [[], 'GET bios'],
  'bios show': [['Boot Mode'], 'GET bios/Boot%20Mode'],
  'firmware list': [[], 'GET firmware'],
  'trait list': [[], 'GET traits'],
  'trait add': [['CUSTOM_A'], 'PUT traits/CUSTOM_A'],
  'trait remove': [['CUSTOM_A'], 'DELETE traits/CUSTOM_A'],
  'vif list': [[], 'GET vifs'],
  'vif attach': [['port-1'], 'POST vifs {"id":"port-1"}'],
  'vif detach': [['port-1'], 'DELETE vifs/port-1'],
  'vmedia list': [[], 'GET vmedia'],
  'vmedia attach': [
    ['cdrom', 'http://images.example/a.iso'],
    'POST vmedia {"device_type":"cdrom","image_url":"http://images.example/a.iso"}',
  ],
  'vmedia detach': [[], 'DELETE vmedia'],
};

/** For each verb: its request, with `PUT /v1/nodes/NODE/states/` left out. Only `rescue` is called with an option. */
const verbs: Readonly<Record<string, string>> = {
  manage: 'provision {"target":"manage"}',
  inspect: 'provision {"target":"inspect"}',
  provide: 'provision {"target":"provide"}',
  clean: 'provision {"target":"clean"}',
  deploy: 'provision {"target":"active"}',
  rebuild: 'provision {"target":"rebuild"}',
  undeploy: 'provision {"target":"deleted"}',
  adopt: 'provision {"target":"adopt"}',
  service: 'provision {"target":"service"}',
  rescue: 'provision {"target":"rescue","rescue_password":"secret"}',
  unrescue: 'provision {"target":"unrescue"}',
  abort: 'provision {"target":"abort"}',
  unhold: 'provision {"target":"unhold"}',
  'power on': 'power {"target":"power on"}',
  'power off': 'power {"target":"power off"}',
  'power soft-off': 'power {"target":"soft power off"}',
  'power reboot': 'power {"target":"rebooting"}',
  'power soft-reboot': 'power {"target":"soft rebooting"}',
};

/** Returns a function that runs a command below `node`, and returns the requests that it sent. */
async function recorder(t: TestContext): Promise<(args: readonly string[]) => Promise<readonly string[]>> {
  const sent: string[] = [];
  const { port } = await httpServer(t, async (message, response) => {
    const body = await text(message);
    sent.push([message.method, message.url, ...(body === '' ? [] : [body])].join(' '));
    response.end('{}');
  });
  return async (args) => {
    const run = (context: CommandContext) => nodeCommand(args, context);
    const { code } = await runCommand(run, { OS_ENDPOINT: `http://127.0.0.1:${port}` });
    assert.equal(code, 0, args.join(' '));
    return sent.splice(0);
  };
}

test('each command about a node sends one request, to a path below the node', async (t) => {
  const sentBy = await recorder(t);
  assert.deepEqual(Object.keys(requests).toSorted(), Object.keys(nodeRequests).toSorted());
  for (const [words, [given, sent]] of Object.entries(requests)) {
    const [method, ...rest] = sent.split(' ');
    assert.deepEqual(
      await sentBy([...words.split(' '), 'rack 1', ...given]),
      [`${method} /v1/nodes/rack%201/${rest.join(' ')}`],
      words,
    );
  }
});

test('each verb finds the node, and then sends its target', async (t) => {
  const sentBy = await recorder(t);
  const passwordFile = fileWith(t, 'password', 'secret\n');
  assert.deepEqual(Object.keys(verbs).toSorted(), Object.keys(nodeVerbs).toSorted());
  for (const [words, sent] of Object.entries(verbs)) {
    const options = words === 'rescue' ? ['--password-file', passwordFile] : [];
    assert.deepEqual(
      await sentBy([...words.split(' '), 'rack-1', ...options]),
      ['GET /v1/nodes/rack-1?fields=uuid', `PUT /v1/nodes/rack-1/states/${sent}`],
      words,
    );
  }
});
