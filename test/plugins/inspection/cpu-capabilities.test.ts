import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json } from '#plugin-api';
import { cpuCapabilities } from '../../../plugins/inspection/cpu-capabilities.ts';
import { draftOf } from './draft.ts';

function after(
  cpu: Json,
  capabilities: string | undefined,
  inspector: Readonly<Record<string, unknown>> = {},
) {
  const properties = capabilities === undefined ? {} : { capabilities };
  const draft = draftOf({ inventory: { cpu }, properties, inspector });
  cpuCapabilities.call?.(draft);
  return draft;
}

test('CPU flags become capabilities in the order of cpu_capabilities', () => {
  const { node } = after({ flags: ['fpu', 'vmx', 'pse', 'aes', 'pdpe1gb'] }, 'boot_mode:uefi');
  assert.equal(
    node.properties['capabilities'],
    'boot_mode:uefi,cpu_vt:true,cpu_aes:true,cpu_hugepages:true,cpu_hugepages_1g:true',
  );
});

test('cpu_capabilities selects the flags', () => {
  const { node } = after({ flags: ['fpu', 'vmx'] }, undefined, {
    cpu_capabilities: ['fpu:float', 'sse:sse'],
  });
  assert.deepEqual(node.properties, { capabilities: 'float:true' });
});

test('flags without a match change nothing; missing or invalid flags change nothing and are logged as a warning', () => {
  const draft = after({ flags: ['fpu'] }, undefined);
  assert.deepEqual([draft.node.properties, draft.warnings], [{}, []]);
  for (const cpu of [null, {}, { flags: null }, { flags: [] }, { flags: 'vmx' }]) {
    const unknown = after(cpu, 'cpu_vt:false');
    assert.equal(unknown.node.properties['capabilities'], 'cpu_vt:false');
    assert.match(unknown.warnings.join(), /CPU capabilities unchanged/);
  }
});

test('an invalid cpu_capabilities pair is refused at startup', () => {
  for (const pair of ['vmx', 'vmx:', ':cpu_vt', 'vmx:cpu vt', 'a:b:c']) {
    assert.throws(() => cpuCapabilities.checkConfiguration?.({ inspector: { cpu_capabilities: [pair] } }), {
      message: `[inspector] cpu_capabilities: "${pair}": expected a CPU flag and a capability, such as vmx:cpu_vt`,
    });
  }
});
