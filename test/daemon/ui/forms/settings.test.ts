import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import { settingNames, settingsOf, type SettingValues } from '../../../../daemon/ui/actions/settings.ts';
import { get, submit } from '../../../fakes/clients/page.ts';
import {
  type Ending,
  type InProcessDaemon,
  startInProcess,
} from '../../../fakes/daemon/in-process-daemon.ts';

type Typed = Readonly<Partial<SettingValues>>;

async function startForm(test: Ending, fields: Readonly<Record<string, unknown>> = {}) {
  const daemon = await startInProcess(test);
  const { uuid } = await daemon.createNode({ name: 'rack1-01', ...fields });
  const record = async () => (await daemon.request('GET', `/v1/nodes/${uuid}`)).json as JsonObject;
  return { daemon, uuid, record };
}

/** Submits the form as a browser does that was shown `before` and in which the visitor has typed `typed`. */
const save = (daemon: InProcessDaemon, uuid: string, before: SettingValues, typed: Typed) => {
  const values = { ...before, ...typed };
  const given = settingNames
    // an unticked box is not sent
    .filter((name) => name !== 'protected' || values.protected === 'true')
    .map((name) => [name, values[name]] as const);
  const was = settingNames.map((name) => [`was_${name}`, before[name]] as const);
  return submit(daemon, '/ui/settings', [['node', uuid], ...was, ...given]);
};

const valueOf = (text: string, name: string) =>
  new RegExp(`name="${name}"[^>]*?value="([^"]*)"`).exec(text)?.[1]?.replaceAll('&quot;', '"');

describe('the settings of a machine', () => {
  it('are changed one by one, shown in the form, and cleared again', async (t) => {
    const { daemon, uuid, record } = await startForm(t, { properties: { capabilities: 'cpu_vt:true' } });
    const typed = {
      name: 'web-4',
      description: 'two\nlines',
      resource_class: 'web',
      owner: 'ops',
      rack: 'R1',
      unit: '12',
      traits: 'CUSTOM_GPU, CUSTOM_SSD',
      protected: '',
      protected_reason: '',
      automated_clean: 'false',
      boot_mode: 'uefi',
      console_interface: 'no-console',
      root_device: '{"serial":"S4YN"}',
    } satisfies SettingValues;
    const done = await save(daemon, uuid, settingsOf(await record()), typed);
    assert.deepEqual([done.status, done.location], [303, `/ui/nodes/${uuid}/settings?saved`]);
    const changed = await record();
    const { name, description, resource_class, owner, extra, traits, automated_clean, properties } = changed;
    assert.deepEqual(
      [name, description, resource_class, owner, extra, traits, automated_clean, properties],
      [
        'web-4',
        'two\nlines',
        'web',
        'ops',
        { rack: 'R1', unit: 12 },
        ['CUSTOM_GPU', 'CUSTOM_SSD'],
        false,
        { capabilities: 'cpu_vt:true,boot_mode:uefi', root_device: { serial: 'S4YN' } },
      ],
    );
    const { text } = await get(daemon, `/ui/nodes/${uuid}/settings?saved`);
    assert.match(text, /Saved\./);
    assert.match(text, /<option value="no-console" selected>/);
    assert.deepEqual(
      ['name', 'unit', 'traits', 'root_device'].map((each) => valueOf(text, each)),
      ['web-4', '12', 'CUSTOM_GPU CUSTOM_SSD', '{"serial":"S4YN"}'],
    );
    const empty = Object.fromEntries(settingNames.map((each) => [each, '']));
    await save(daemon, uuid, settingsOf(changed), { ...empty, name: 'web-4' });
    const cleared = settingsOf(await record());
    assert.deepEqual(cleared, { ...empty, name: 'web-4', console_interface: 'fake' });
    const { capabilities } = (await record())['properties'] as Record<string, unknown>;
    assert.equal(capabilities, 'cpu_vt:true');
  });

  it('are shown again with the reason beside what was refused, as typed, and the rest is saved', async (t) => {
    const { daemon, uuid, record } = await startForm(t);
    const before = settingsOf(await record());
    const { status, text } = await save(daemon, uuid, before, {
      name: 'no name <b>',
      description: 'kept',
      unit: '12a',
      root_device: '{serial}',
      traits: 'gpu',
    });
    assert.equal(status, 200);
    const page = text.replaceAll(/\s+/g, ' ');
    assert.match(page, /Not everything could be saved/);
    assert.equal(valueOf(text, 'name'), 'no name &lt;b&gt;');
    for (const [name, reason] of [
      ['name', /no name &lt;b&gt;/],
      ['unit', /12a is no unit of a rack; give a whole number such as 12/],
      ['root_device', /expected hints as a JSON object, such as/],
      ['traits', /gpu/],
    ] as const) {
      const [, wrong = ''] = new RegExp(`id="field-${name}-wrong">(.*?)</span>`).exec(page) ?? [];
      assert.match(wrong, reason, name);
      assert.match(page, new RegExp(`id="field-${name}"[^>]*aria-invalid="true"`), name);
    }
    const after = settingsOf(await record());
    assert.deepEqual(after, { ...before, description: 'kept' });
  });

  it('do not undo what somebody else has changed meanwhile', async (t) => {
    const { daemon, uuid, record } = await startForm(t);
    const before = settingsOf(await record());
    daemon.services.db.nodes.update(uuid, { owner: 'somebody else' });
    await save(daemon, uuid, before, { description: 'mine' });
    const { owner, description } = await record();
    assert.deepEqual([owner, description], ['somebody else', 'mine']);
  });

  it('protect an instance with its reason, and end the protection', async (t) => {
    const { daemon, uuid, record } = await startForm(t);
    daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
    const reason = { protected: 'true', protected_reason: 'pays the wages' };
    assert.equal((await save(daemon, uuid, settingsOf(await record()), reason)).status, 303);
    const kept = await record();
    assert.deepEqual([kept['protected'], kept['protected_reason']], [true, 'pays the wages']);
    const none = { protected: '', protected_reason: '' };
    assert.equal((await save(daemon, uuid, settingsOf(kept), none)).status, 303);
    const free = await record();
    assert.deepEqual([free['protected'], free['protected_reason']], [false, null]);
  });

  it('say that protection needs an instance', async (t) => {
    const { daemon, uuid, record } = await startForm(t);
    const { text } = await save(daemon, uuid, settingsOf(await record()), { protected: 'true' });
    assert.match(text.replaceAll(/\s+/g, ' '), /class="wrong" role="alert">[^<]+</);
    assert.match(text, /name="protected"\s+value="true"\s+checked/);
  });

  it('of a node that is not there, or from another origin, change nothing', async (t) => {
    const { daemon, uuid, record } = await startForm(t);
    assert.equal((await submit(daemon, '/ui/settings', [['node', 'missing']])).status, 404);
    const fields = [
      ['node', uuid],
      ['was_name', 'rack1-01'],
      ['name', 'stolen'],
    ] as const;
    const foreign = await submit(daemon, '/ui/settings', fields, { origin: 'http://evil.example' });
    assert.equal(foreign.status, 403);
    assert.equal((await record())['name'], 'rack1-01');
  });
});
