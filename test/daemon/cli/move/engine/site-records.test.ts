import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiClient } from '../../../../../daemon/cli/api-client.ts';
import { copySiteRecords } from '../../../../../daemon/cli/move/engine/site-records.ts';
import { cellText } from '../../../../../daemon/cli/text-table.ts';
import { MAXIMUM_MINOR } from '../../../../../daemon/model/microversions.ts';
import { startListening } from '../../../../fakes/daemon/listening-daemon.ts';

const steps = [{ interface: 'bios', step: 'apply_configuration', args: { settings: [] }, priority: 50 }];
const rule = {
  description: 'tag',
  conditions: [{ op: 'eq', args: ['{node.driver}', 'ipmi'] }],
  actions: [{ op: 'set-attribute', args: { path: '/extra/a', value: 'b' } }],
};

test('templates, runbooks and rules are copied once, except sensitive rules and kinds unknown to the receiver', async (t) => {
  const [here, there] = [await startListening(t, {}), await startListening(t, {})];
  const [source, receiver] = [here, there].map(({ url }) => ({
    api: createApiClient({ OS_ENDPOINT: url }),
    minor: MAXIMUM_MINOR,
  }));
  assert.ok(source !== undefined && receiver !== undefined);
  await source.api.post('/v1/deploy_templates', { name: 'CUSTOM_FAST', steps });
  await source.api.post('/v1/runbooks', {
    name: 'CUSTOM_BURN_IN',
    description: 'of new machines',
    steps: [{ interface: 'deploy', step: 'burnin_cpu', args: {}, order: 1 }],
  });
  const { uuid } = await source.api.post('/v1/inspection_rules', rule);
  const secret = await source.api.post('/v1/inspection_rules', { ...rule, sensitive: true });
  const told = async (minor: number, isDryRun: boolean) =>
    (await copySiteRecords(source, { ...receiver, minor }, isDryRun)).map(
      ({ name, outcome }) => `${outcome} ${name}`,
    );
  const all = [
    'copied deploy template CUSTOM_FAST',
    'copied runbook CUSTOM_BURN_IN',
    `copied inspection rule ${cellText(uuid)}`,
    `left inspection rule ${cellText(secret['uuid'])}`,
  ];
  assert.deepEqual(await told(MAXIMUM_MINOR, true), all);
  assert.deepEqual(await told(82, true), [
    all[0],
    ...all.slice(1).map((line) => line.replace('copied', 'left')),
  ]);
  assert.deepEqual(there.services.db.deployTemplates.where({ sql: 'TRUE', values: [] }), []);
  assert.deepEqual(await told(MAXIMUM_MINOR, false), all);
  assert.deepEqual(await told(MAXIMUM_MINOR, false), all.slice(3));
  const record = async (api: typeof source.api, path: string) => {
    const {
      created_at: _created,
      updated_at: _updated,
      links: _links,
      ...rest
    } = (await api.request('GET', path)).body as Readonly<Record<string, unknown>>;
    return rest;
  };
  for (const path of [
    '/v1/deploy_templates/CUSTOM_FAST',
    '/v1/runbooks/CUSTOM_BURN_IN',
    `/v1/inspection_rules/${cellText(uuid)}`,
  ])
    assert.deepEqual(await record(receiver.api, path), await record(source.api, path));
});
