import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PluginFiles } from '../../fakes/plugin-folder.ts';
import { acme, load, manifest, power, source } from './plugin-tree.ts';

const hookSource = `import { defineHook, InspectionError } from '#plugin-api';
export const tag = defineHook({ dependencies: ['validate_interfaces'], call() {} });
export const ports = defineHook({ replaces: 'ports', call() {} });
export const after = defineHook({ dependencies: ['ports'], call() {} });
export const picky = defineHook({
  checkConfiguration({ acme }) {
    if (acme.tag !== 'right') throw new Error('[acme] tag: expected right');
  },
  call() {},
});
`;
const hooked = {
  'acme/plugin.json': manifest({
    ...acme,
    entryPoints: {
      ...power,
      'ironic.inspection.hooks': {
        'acme-tag': './hooks.ts:tag',
        'acme-ports': './hooks.ts:ports',
        'acme-after': './hooks.ts:after',
        'acme-picky': './hooks.ts:picky',
      },
    },
    configuration: { acme: { type: 'object', properties: { tag: { type: 'string', default: 'right' } } } },
  }),
  'acme/power.ts': source,
  'acme/hooks.ts': hookSource,
};

test('hooks may be listed with hyphens or underscores, and a replacement counts as the hook that it replaces', async (t) => {
  const { registry } = await load(t, hooked, {
    IRONIC_INSPECTOR__DEFAULT_HOOKS: 'ramdisk-error,validate_interfaces',
    IRONIC_INSPECTOR__HOOKS: '$default_hooks,acme_tag,acme-ports,acme-after,acme-picky,cpu_capabilities',
  });
  assert.deepEqual(
    registry.hooks.map(({ name }) => name),
    [
      'ramdisk-error',
      'validate-interfaces',
      'acme-tag',
      'acme-ports',
      'acme-after',
      'acme-picky',
      'cpu-capabilities',
    ],
  );
});

const failures: readonly (readonly [string, PluginFiles, Readonly<Record<string, string>>, RegExp])[] = [
  [
    'an unknown hook',
    { 'acme/plugin.json': acme, 'acme/power.ts': source },
    { IRONIC_INSPECTOR__HOOKS: 'x' },
    /\[inspector\] hooks: no plugin provides x in ironic\.inspection\.hooks\. Known: accelerators, /,
  ],
  [
    'a hook listed before its dependency',
    { 'acme/plugin.json': acme, 'acme/power.ts': source },
    { IRONIC_INSPECTOR__HOOKS: 'ports,validate-interfaces' },
    /hooks: ports needs validate-interfaces before it/,
  ],
  [
    'a hook and the one that replaces it',
    hooked,
    { IRONIC_INSPECTOR__HOOKS: 'validate-interfaces,ports,acme-ports' },
    /hooks: ports and acme-ports both provide ports; list only one of them/,
  ],
  [
    'a hook listed before the replacement of its dependency',
    hooked,
    { IRONIC_INSPECTOR__HOOKS: 'acme-after,acme-ports' },
    /hooks: acme-after needs ports before it in the list/,
  ],
  [
    'an option value that a plugin hook refuses',
    hooked,
    { IRONIC_INSPECTOR__HOOKS: 'acme-picky', IRONIC_ACME__TAG: 'wrong' },
    /Inspection hook acme-picky: \[acme\] tag: expected right/,
  ],
  [
    'an option value that a built-in hook refuses',
    hooked,
    { IRONIC_INSPECTOR__HOOKS: 'root-device', IRONIC_INSPECTOR__DISK_PARTITIONING_SPACING: 'much' },
    /Inspection hook root-device: \[inspector\] disk_partitioning_spacing = much: expected a number/,
  ],
];

for (const [what, tree, options, sentence] of failures) {
  test(`${what} stops the start with an error of one line`, async (t) => {
    await assert.rejects(load(t, tree, options), (error: Error) => {
      assert.match(error.message, sentence);
      assert.equal(error.message.includes('\n'), false);
      return true;
    });
  });
}
