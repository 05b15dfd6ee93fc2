// What BMCs are asked for each operation, beside what the library of Ironic asks them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOurs, countSushys, operations } from '../bench/redfish-operations.ts';
import { skipWithoutSushyTools } from '../setup/sushy-tools.ts';

/** Where more is needed than the limit: Boot has a resource of its own, or collections are read member by member. */
const more: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  plain: { inspect: 18, 'read the sensors': 5 },
  dell9: { 'read the sensors': 3 },
  hpe: { 'read the sensors': 3 },
  dell10: { 'boot device': 2, 'boot from a CD': 6 },
};

for (const shape of ['plain', 'dell9', 'dell10', 'hpe'] as const) {
  test(`a BMC like ${shape} is asked no more than is needed`, async (t) => {
    const ours = await countOurs(t, shape);
    for (const { name, limit } of operations) {
      const most = more[shape]?.[name] ?? limit;
      assert.ok(Number(ours[name]) <= most, `${name}: ${ours[name]}, at most ${most}`);
    }
  });
  test(`sushy never asks a BMC like ${shape} less`, { skip: skipWithoutSushyTools() }, async (t) => {
    const [ours, theirs] = [await countOurs(t, shape), await countSushys(t, shape)];
    // sushy does not read the sensors of BMCs that have the newer resources only
    const compared = operations.filter(({ name }) => typeof theirs[name] === 'number');
    assert.ok(compared.length >= operations.length - 1, JSON.stringify(theirs));
    for (const { name } of compared)
      assert.ok(Number(ours[name]) <= Number(theirs[name]), `${name}: ${ours[name]}, sushy ${theirs[name]}`);
  });
}
