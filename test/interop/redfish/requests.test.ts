// How many requests each operation sends to a BMC, compared with sushy, the library that Ironic uses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOurs, countSushys, operations } from '../../bench/redfish-operations.ts';
import { skipWithoutSushyTools } from '../../setup/sushy-tools.ts';

interface More {
  readonly most: number;
  readonly because: string;
}

const MEMBER_BY_MEMBER = 'the BMC expands no collection, so each member takes a request of its own';
const ITS_DRIVES = 'Thermal and Power are resources of their own, and the third request reads the drives';
const ITS_SETTINGS =
  'a power sync reads only the system, but Boot is in the settings resource, which is read before Boot is changed';

/** The operations that may send more requests than the limit, and why. */
const more: Readonly<Record<string, Readonly<Record<string, More>>>> = {
  plain: {
    inspect: { most: 18, because: MEMBER_BY_MEMBER },
    'read the sensors': { most: 5, because: `${ITS_DRIVES}; ${MEMBER_BY_MEMBER}` },
  },
  dell9: { 'read the sensors': { most: 3, because: ITS_DRIVES } },
  hpe: { 'read the sensors': { most: 3, because: ITS_DRIVES } },
  dell10: {
    'boot device': { most: 2, because: ITS_SETTINGS },
    'boot from a CD': { most: 6, because: ITS_SETTINGS },
  },
};

for (const shape of ['plain', 'dell9', 'dell10', 'hpe'] as const) {
  test(`no operation sends a BMC like ${shape} more requests than allowed`, async (t) => {
    const ours = await countOurs(t, shape);
    for (const { name, limit } of operations) {
      const { most, because } = more[shape]?.[name] ?? { most: limit, because: 'that is enough' };
      assert.ok(Number(ours[name]) <= most, `${name}: ${ours[name]}, at most ${most}: ${because}`);
      assert.ok(
        most <= limit || Number(ours[name]) > limit,
        `${name}: the limit of ${limit} is kept, so remove the exception`,
      );
    }
  });
  test(
    `sushy sends a BMC like ${shape} at least as many requests as the daemon`,
    { skip: skipWithoutSushyTools() },
    async (t) => {
      const [ours, theirs] = [await countOurs(t, shape), await countSushys(t, shape)];
      // sushy does not read the sensors of BMCs that have only the newer resources
      const compared = operations.filter(({ name }) => typeof theirs[name] === 'number');
      assert.ok(compared.length >= operations.length - 1, JSON.stringify(theirs));
      for (const { name } of compared)
        assert.ok(
          Number(ours[name]) <= Number(theirs[name]),
          `${name}: ${ours[name]}, sushy ${theirs[name]}`,
        );
    },
  );
}
