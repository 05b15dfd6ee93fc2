import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPlugin } from '../../../../daemon/plugin-kit/conformance/check-plugin.ts';
import { discoverPlugins } from '../../../../daemon/plugin-host/manifests/discover.ts';
import { resolvePluginApi } from '../../../../daemon/plugin-host/resolve-plugin-api.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

resolvePluginApi();

const { plugins } = discoverPlugins([new URL('../../../../plugins', import.meta.url).pathname]);

const power = (more: string) => `export const acme = {
  properties: {
    acme_address: { description: 'Where it is.', required: true },
    acme_password: { description: 'A password.', secret: true },
  },
  supportedTargets: ['power on'], supportsPowerSync: true,
  validate({ node }) { if (!node.driver_info.acme_address) throw fault('Invalid', { reason: 'acme_address is missing' }); },
  async getPowerState() { return 'power on'; },
  async setPowerState() {},
  ${more}
};`;
const HOOK = 'ironic.inspection.hooks';
const POWER = 'ironic.hardware.interfaces.power';

/** The defect, the code that has it, and the expected problem. */
const interfaces: readonly (readonly [string, string, RegExp])[] = [
  [
    'an operation with an unknown name',
    power('getPowerSate() {}'),
    /^getPowerSate is not a member of power interfaces\. They have: .*getPowerState/,
  ],
  [
    'a value outside the contract',
    power(`getPowerState: async () => 'on'`),
    /getPowerState: .*returned "on"; expected one of/,
  ],
  ['an operation that throws', power(`getPowerState() { return this.no.such; }`), /getPowerState: TypeError/],
  [
    'an operation that never ends',
    power('setPowerState: () => new Promise(() => {})'),
    /setPowerState: it has not ended within 5 s/,
  ],
  [
    'validation that accepts a missing required property',
    power('validate() {}'),
    /accepts a node without acme_address/,
  ],
  [
    'validation that does not name the missing property',
    power(
      `validate({ node }) { if (!node.driver_info.acme_address) throw fault('Invalid', { reason: 'incomplete' }); }`,
    ),
    /without acme_address but does not name it: incomplete/,
  ],
  [
    'validation that throws a TypeError',
    power(`validate({ node }) { node.driver_info.acme_address.trim(); }`),
    /failed in validate: TypeError/,
  ],
  [
    'validation that changes the node',
    power(
      `validate(task) { task.update({ health: 'OK' }); if (!task.node.driver_info.acme_address) throw fault('Invalid', { reason: 'acme_address' }); }`,
    ),
    /validate changes the node or its machine: update health/,
  ],
  [
    'validation that talks to the BMC',
    power(`validate: (task) => task.bmc('acme_address', { deadline: 1 }, async () => {})`),
    /validate talks to the BMC/,
  ],
  [
    'validation that repeats a secret',
    power(
      `validate({ node: { driver_info: { acme_address, acme_password } } }) { if (!acme_address || acme_password) throw fault('Invalid', { reason: 'acme_address ' + acme_password }); }`,
    ),
    /validate repeats a secret/,
  ],
  [
    'a secret property whose name does not cause its value to be masked',
    power(`properties: { acme_pin: { description: 'A PIN.', secret: true } }`),
    /secret property acme_pin, .*Its name must contain password, secret or token/,
  ],
  [
    'a property without a description',
    power(`properties: { acme_pin: {} }`),
    /the property acme_pin without a description/,
  ],
  ['an unknown power target', power(`supportedTargets: ['on']`), /has supportedTargets, which is not a list/],
  [
    'a step without a run function',
    power(`steps: { wipe: { description: 'Wipes.', priorities: { clean: 5 } } }`),
    /the step wipe, which lacks the function run/,
  ],
  [
    'a step of an unknown phase',
    power(`steps: { wipe: { description: 'Wipes.', priorities: { cleaning: 5 }, run: async () => 'done' } }`),
    /the step wipe, which has priorities that are not/,
  ],
  [
    'a step that returns an unknown result',
    power(`steps: { wipe: { description: 'Wipes.', priorities: { clean: 5 }, run: async () => true } }`),
    /steps\.wipe\.run: .*returned true; expected one of "done"/,
  ],
  [
    'an argument without a description',
    power(
      `steps: { wipe: { description: 'Wipes.', priorities: {}, arguments: { deep: {} }, run: async () => 'done' } }`,
    ),
    /the step wipe, which has an argument without/,
  ],
  [
    'a step whose abortable is not a boolean',
    power(
      `steps: { wipe: { description: 'Wipes.', priorities: {}, abortable: 'yes', run: async () => 'done' } }`,
    ),
    /abortable that is neither true nor false/,
  ],
  [
    'periodic work without an interval',
    power(`periodic: { look: { description: 'Looks.', run: async () => {} } }`),
    /the periodic work look, which has an interval that is neither 0, nor a number of seconds from 1/,
  ],
];

const hooks: readonly (readonly [string, string, RegExp])[] = [
  [
    'a hook that throws on an empty inventory',
    'export const acme = { call({ inventory }) { inventory.disks.length; } };',
    /empty inventory: it threw TypeError/,
  ],
  [
    'a hook that changes the inventory',
    `'use strict'; export const acme = { call({ inventory }) { inventory.cpu = 1; } };`,
    /it threw TypeError: .*object is not extensible|read only/,
  ],
  [
    'a hook that writes an unknown field',
    'export const acme = { call({ node }) { node.rack = 7; } };',
    /ordinary machine: it left a draft that would be refused: draft\.node\.rack would not be stored/,
  ],
  [
    'a hook that adds a port with nothing but an address',
    `export const acme = { call({ ports }) { ports.push({ address: '52:54:00:00:00:01' }); } };`,
    /pxe_enabled of port 52:54:00:00:00:01 is not a boolean/,
  ],
  ['a hook that returns a promise', 'export const acme = { async call() {} };', /it returned a promise/],
  [
    'a hook without a preprocess or call function',
    'export const acme = { cal() {} };',
    /lacks a function preprocess or call/,
  ],
];

const check = async (t: { after(end: () => void): void }, group: string, code: string) => {
  const path = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', { entryPoints: { [group]: { acme: './acme.js:acme' } } }),
    'acme/acme.js': `import { fault } from '#plugin-api';\n${code}`,
  });
  const findings = await checkPlugin(`${path}/acme`, plugins);
  return findings.flatMap(({ problems }) => problems);
};

test('a plugin that keeps the contract has no problems', async (t) => {
  assert.deepEqual(await check(t, POWER, power('')), []);
});

for (const [group, cases] of [
  [POWER, interfaces],
  [HOOK, hooks],
] as const) {
  for (const [what, code, sentence] of cases) {
    test(`the check reports ${what}`, async (t) => {
      const problems = await check(t, group, code);
      assert.ok(
        problems.some((problem) => sentence.test(problem)),
        JSON.stringify(problems, null, 2),
      );
    });
  }
}

test('the check reports hardware types with missing interfaces', async (t) => {
  const path = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', {
      hardwareTypes: {
        acme: { extends: 'ipmi', supported: { power: ['acme', '...'] } },
        lonely: { supported: { power: ['ipmitool'] } },
      },
    }),
  });
  const findings = await checkPlugin(`${path}/acme`, plugins);
  const [, extending, lonely] = findings;
  assert.match(
    extending?.problems.join() ?? '',
    /no plugin provides acme in ironic\.hardware\.interfaces\.power/,
  );
  assert.match(lonely?.problems.join() ?? '', /supports no .*management, .*interface/);
});
