import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import consumers from 'node:stream/consumers';
import { test } from 'node:test';
import { startFakeRedfish } from '../../../daemon/simulator/redfish/fake-redfish.ts';
import { type ShapeName, shapeNames } from '../../../daemon/simulator/redfish/shapes.ts';
import {
  redfishSchemas,
  redfishValidator,
  skipWithoutRedfishValidator,
} from '../../setup/redfish-validator.ts';

const skip = skipWithoutRedfishValidator();

/** How many failures the simulated BMC has in a shape on purpose, because the real BMCs that the shape models have them. */
const deliberate: Partial<Record<ShapeName, number>> = {
  // six links lead to resources that cannot be read
  dell9: 6,
  // the same links, and two cards that hide their addresses
  dell10: 8,
  // the iLO's BIOS is at `bios`, where the specification has `Bios`
  hpe: 1,
  // Secure Boot needs a licence
  supermicro: 2,
};

for (const shape of shapeNames)
  test(`DMTF's service validator counts only the deliberate failures in ${shape}`, { skip }, async (t) => {
    const logs = mkdtempSync(path.join(tmpdir(), 'redfish-validator-'));
    const bmc = await startFakeRedfish({ shape });
    t.after(() => bmc.stop());
    t.after(() => rmSync(logs, { recursive: true }));
    const login = ['-u', 'admin', '-p', 'secret', '--authtype', 'Basic', '-r', bmc.address];
    const words = [...login, '--schema_directory', redfishSchemas, '--logdir', logs];
    const validator = spawn(redfishValidator, words, { stdio: ['ignore', 'pipe', 'ignore'] });
    const [report] = await Promise.all([consumers.text(validator.stdout), once(validator, 'exit')]);
    const failures = report.split('Summary - ')[1]?.split('FAIL: ')[1]?.split(',')[0];
    assert.equal(failures, String(deliberate[shape] ?? 0), report);
  });
