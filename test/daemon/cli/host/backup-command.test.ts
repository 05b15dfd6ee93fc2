import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { backupCommand } from '../../../../daemon/cli/host/backup-command.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

test('a database that does not exist is named, with the options that say where it is, and nothing is created', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'backup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const state = path.join(folder, 'state');
  for (const word of ['create', 'rehearse'])
    await assert.rejects(
      runCommand((context) => backupCommand([word], context), { IRONIC_DEFAULT__STATE_PATH: state }),
      new RegExp(
        `^Error: The database ${state}/ironic-edge\\.sqlite cannot be read: .*directory does not exist.*--config-file, IRONIC_CONFIG_FILE`,
      ),
    );
  assert.equal(existsSync(state), false);
});
