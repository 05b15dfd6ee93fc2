import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { commandKinds, type RamdiskSurroundings } from '../../../../daemon/simulator/ramdisk/commands.ts';

interface Captured {
  readonly body: { readonly command_result: Readonly<Record<string, unknown>> };
}
const captured = JSON.parse(
  readFileSync(new URL('../../../fixtures/agent/agent-12.0.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Captured>>;

/** A copy without the members named `description`. */
const withoutDescriptions = (steps: unknown): unknown =>
  JSON.parse(JSON.stringify(steps, (name, value: unknown) => (name === 'description' ? undefined : value)));

for (const phase of ['clean', 'deploy', 'service'])
  test(`the ${phase} steps of the simulated agent are those of a real agent, except for their descriptions`, () => {
    const kind = commandKinds.get(`${phase}.get_${phase}_steps`);
    const reported = kind?.run({ hardwareManagers: {} } as RamdiskSurroundings, {}) as Record<
      string,
      unknown
    >;
    const name = `${phase}_steps`;
    const real = captured[`${phase}-steps`]?.body.command_result[name];
    assert.deepEqual(withoutDescriptions(reported[name]), withoutDescriptions(real));
  });
