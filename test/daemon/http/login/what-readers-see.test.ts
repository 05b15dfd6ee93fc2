// Plants secrets wherever users of the API may put them, and looks for them in everything that a reader gets.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { apiRoutes } from '../../../../daemon/api/routes/all-routes.ts';
import { type BiosSetting, unknownRegistryEntry } from '../../../../daemon/model/records/bios-setting.ts';
import { initialNode } from '../../../../daemon/model/records/node.ts';
import { recordError } from '../../../../daemon/conductor/tasks/node-history.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

// the libxcrypt digest of "secret", cost 4
const SECRET = '$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';
const directory = mkdtempSync(path.join(tmpdir(), 'readers-'));
after(() => rmSync(directory, { recursive: true }));
const htpasswd = path.join(directory, 'htpasswd');
writeFileSync(htpasswd, `rita:${SECRET}\nalan:${SECRET}\n`, { mode: 0o600 });
const daemon = await startInProcess(
  { after },
  {
    ini: `auth_strategy = http_basic\nhttp_basic_auth_user_file = ${htpasswd}\ndebug = true\n[users]\nreaders = rita\n`,
  },
);

const asked = (user: string, method: string, where: string, body?: unknown) =>
  daemon.request(method, where, {
    headers: { authorization: `Basic ${Buffer.from(`${user}:secret`).toString('base64')}` },
    ...(body !== undefined && { body }),
  });

let planted = 0;
/** A secret whose leak names its place. */
const canary = (place: string) => {
  planted += 1;
  return `CANARY${planted}${place.replaceAll(/[^a-zA-Z]/g, '')}`;
};
const login = (place: string) => `http://user:${canary(place)}@images.test/file`;

async function created(where: string, body: object): Promise<Record<string, string>> {
  const { status, json, fault } = await asked('alan', 'POST', where, body);
  assert.equal(status, 201, fault);
  return json as Record<string, string>;
}

const steps = (place: string) => [
  {
    interface: 'bios',
    step: 'apply_configuration',
    args: {
      settings: [
        { name: 'AdminPassword', value: canary(`${place} bios`) },
        { name: 'BootMode', value: 'Uefi' },
      ],
      url: login(`${place} step`),
    },
  },
];

const node = await created('/v1/nodes', {
  name: 'web-1',
  driver: 'fake-hardware',
  driver_info: {
    ipmi_password: canary('driver_info'),
    deploy_kernel: login('deploy_kernel'),
    kernel_append_params: `quiet rd.password=${canary('driver_info kernel')}`,
  },
  instance_info: {
    image_source: login('image_source'),
    ks_template: login('ks_template'),
    kernel_append_params: `rootpw=${canary('instance_info kernel')} nofb`,
    image_url: `http://images.test/${canary('image_url')}`,
  },
});
const uuid = node['uuid'] ?? '';
const port = await created('/v1/ports', { node_uuid: uuid, address: '52:54:00:00:00:01' });
const template = await created('/v1/deploy_templates', {
  name: 'CUSTOM_BIOS',
  steps: steps('template').map((step) => ({ ...step, priority: 10 })),
});
const runbook = await created('/v1/runbooks', {
  name: 'CUSTOM_BIOS',
  steps: steps('runbook').map((step, order) => ({ ...step, order })),
});
const rule = await created('/v1/inspection_rules', {
  actions: [
    {
      op: 'set-attribute',
      args: { path: '/driver_info/ipmi_password', value: canary('rule by name') },
    },
    { op: 'set-attribute', args: ['/driver_info/ipmi_password', canary('rule as list')] },
    { op: 'set-attribute', args: { path: '/driver_info/deploy_kernel', value: login('rule URL') } },
  ],
});
const target = await created('/v1/volume/targets', {
  node_uuid: uuid,
  volume_type: 'iscsi',
  boot_index: 0,
  volume_id: 'v',
  properties: { auth_password: canary('volume'), url: login('volume URL') },
});
const image = await created('/v1/images', {
  name: 'web',
  source: `${login('image')}/d.qcow2`,
  checksum: 'a'.repeat(64),
});
const { services } = daemon;
services.db.biosSettings.replace(uuid, [
  {
    node_uuid: uuid,
    name: 'AdminPassword',
    value: canary('bios setting'),
    registry: unknownRegistryEntry,
    created_at: null,
    updated_at: null,
  } satisfies BiosSetting,
]);
services.timeline.record({ hop: 'http', node: uuid, text: `fetched ${login('timeline')}` });
services.timeline.flush();
const stored = services.db.nodes.get(uuid) ?? initialNode({ uuid, driver: 'fake-hardware' });
services.db.nodes.update(uuid, {
  last_error: recordError(services, stored, {
    event: `cannot fetch ${login('last_error')} with token=${canary('last_error token')}`,
    eventType: 'provisioning',
  }),
  clean_step: { interface: 'bios', step: 'x', args: { password: canary('clean_step') } } as never,
});

const records: Readonly<Record<string, string | undefined>> = {
  ports: port['uuid'],
  deploy_templates: template['uuid'],
  runbooks: runbook['uuid'],
  inspection_rules: rule['uuid'],
  volume: target['uuid'],
  images: image['uuid'],
};

const places = apiRoutes
  .filter(({ method, media }) => method === 'GET' && media === undefined)
  .map(({ path: where }) => {
    const named: Readonly<Record<string, string | undefined>> = {
      ':node': uuid,
      ':driver': 'fake-hardware',
      ':setting': 'AdminPassword',
      ':runbook': runbook['uuid'],
      ':id': records[where.split('/')[2] ?? ''],
    };
    return where
      .split('/')
      .map((part) => named[part] ?? (part.startsWith(':') ? 'web-1' : part))
      .join('/');
  });

test('nothing that a reader gets by any GET request shows a secret', async () => {
  const leaks: string[] = [];
  let answers = 0;
  for (const where of new Set(places.flatMap((one) => [one, `${one}?detail=true`, `${one}/detail`]))) {
    const { status, text } = await asked('rita', 'GET', where);
    if (status === 200) answers += 1;
    for (const [leak] of text.matchAll(/CANARY\w+/g)) leaks.push(`${where}: ${leak}`);
  }
  assert.ok(answers > 40, `${answers} answers`);
  assert.deepEqual([...new Set(leaks)], []);
});

async function pageText(page: string): Promise<string> {
  const answer = await daemon.app.fetch(
    new Request(`http://127.0.0.1${page}`, {
      headers: {
        authorization: `Basic ${Buffer.from('rita:secret').toString('base64')}`,
        accept: 'text/html',
      },
    }),
  );
  assert.equal(answer.status, 200, page);
  return answer.text();
}

test('no page, event, log line or audit record shows a secret', async () => {
  const tabs = ['', '/hardware', '/sensors', '/work', '/console', '/logs', '/settings', '/report', '/bundle'];
  const ofMachine = tabs.map((tab) => `/ui/nodes/${uuid}${tab}`);
  const others = ['', 'images', 'network', 'work', 'events', 'add/discovered', `deploy?node=${uuid}`];
  for (const page of [...ofMachine, ...others.map((each) => `/ui/${each}`)])
    assert.doesNotMatch(await pageText(page), /CANARY/, page);
  await asked('alan', 'PATCH', `/v1/nodes/${uuid}`, [
    { op: 'replace', path: '/instance_info/image_source', value: login('patched') },
  ]);
  await asked('alan', 'PUT', `/v1/nodes/${uuid}/states/provision`, {
    target: 'clean',
    clean_steps: steps('clean'),
  });
  const events = services.db.events.after(0, 1000);
  assert.ok(events.length > 5);
  assert.doesNotMatch(JSON.stringify(events), /CANARY/);
  assert.doesNotMatch(daemon.log(), /CANARY/);
  assert.doesNotMatch(readFileSync(path.join(daemon.stateDirectory, 'audit.log'), 'utf8'), /CANARY/);
});

test('the records keep what readers do not see', () => {
  const { instance_info: info } = daemon.node(uuid);
  assert.match(JSON.stringify(info['image_source']), /CANARY/);
  assert.match(JSON.stringify(info['ks_template']), /^"http:\/\/user:CANARY/);
});
