import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { destroyedByAgent } from '../../../../daemon/model/steps/agent-step-effects.ts';

type Listed = readonly { readonly interface: string; readonly step: string }[];

test('it is known of every step of a real agent what it destroys', () => {
  const phases = JSON.parse(readFileSync('daemon/simulator/ramdisk/agent-steps.json', 'utf8')) as Readonly<
    Record<'clean' | 'deploy' | 'service', Readonly<Record<string, Listed>>>
  >;
  const steps = Object.values(phases).flatMap((managers) => Object.values(managers).flat());
  assert.ok(steps.length > 20);
  for (const step of steps) assert.notEqual(destroyedByAgent(step), UNSAID, `${step.interface}.${step.step}`);
});

const UNSAID = 'perhaps data; the ramdisk does not say';

test('a step that erases says so, and a step of an unknown hardware manager may destroy data', () => {
  assert.equal(destroyedByAgent({ interface: 'deploy', step: 'erase_devices' }), 'all data on all disks');
  assert.equal(destroyedByAgent({ interface: 'deploy', step: 'inject_files' }), null);
  for (const step of ['update_nic', 'toString'])
    assert.equal(destroyedByAgent({ interface: 'deploy', step }), UNSAID);
});
