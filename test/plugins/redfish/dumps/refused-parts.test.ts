import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { reasonOf } from '../../../../daemon/plugin-api/index.ts';
import { readDump } from '../../../fakes/machines/dumped-bmc.ts';
import { dumpLab, type DumpLab } from './dump-lab.ts';
import { operations } from './operations.ts';
import { FIXTURES } from './table.ts';

const DUMPS = ['dell-r650-idrac9', 'hpe-dl380a-gen11-ilo6', 'cisco-c225-m6', 'gigabyte-h262-ami'];
/** An operation needs the system, the list of systems to find it, and what the operation is about. */
const NEEDED = /\/Systems(\/[^/]+)?$|\/bios$|SessionService/i;
const STATUSES = [400, 403, 404, 500];

const warnings = ({ task }: DumpLab) =>
  task.logged.flatMap(({ fields }) => ('unread' in fields ? (fields.unread as readonly string[]) : []));

for (const name of ['manage', 'inspect', 'BIOS settings', 'firmware', 'sensors'])
  test(`${name}: a part that a BMC lacks or refuses is left out, and a refusal is named`, async (t) => {
    for (const dumpName of DUMPS) {
      const dump = readDump(path.join(FIXTURES, `${dumpName}.json.gz`));
      const whole = await dumpLab(t, dump);
      await operations[name]?.(whole.task, dump);
      const parts = [...whole.read].filter((each) => dump.has(each) && !NEEDED.test(each));
      for (const [index, part] of parts.entries()) {
        const lab = await dumpLab(t, dump, { cpu_arch: 'x86_64' });
        const status = STATUSES[index % STATUSES.length] ?? 0;
        lab.refused.set(part, status);
        await operations[name]?.(lab.task, dump).catch((error: unknown) =>
          assert.fail(`${dumpName}, ${part} answered with ${status}: ${reasonOf(error)}`),
        );
        if (status !== 404) assert.match(warnings(lab).join(), /is refused/, `${dumpName} ${part}`);
      }
    }
  });
