import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discoverCommand } from '../../../../daemon/cli/zero-touch/discover-command.ts';
import { draftRecord } from '../../../../daemon/conductor/records/new-record.ts';
import { type FoundBmc, foundBmcFields } from '../../../../daemon/model/zero-touch/found-bmc.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';

test('`discover` lists, shows and forgets BMCs, and says why networks are not scanned', async (t) => {
  const { url, services } = await startListening(t, {});
  const run = (...words: readonly string[]) =>
    runCommand((context) => discoverCommand(words, context), { OS_ENDPOINT: url });
  for (const [address, vendor] of [
    ['10.0.9.1', 'Contoso'],
    ['10.0.9.2', 'Fabrikam'],
  ] as const)
    services.db.foundBmcs.insert(
      draftRecord<FoundBmc>(foundBmcFields, { address, vendor, protocols: ['redfish', 'ipmi'] }),
    );
  const [head = '', ...rows] = (await run('list')).out.trimEnd().split('\n');
  assert.match(head, /^address +mac +protocols +vendor +product +stage +node_uuid +last_seen/);
  assert.match(rows[0] ?? '', /^10\.0\.9\.1 +- +\[redfish,ipmi\] +Contoso +- +seen +-/);
  assert.equal(rows.length, 2);
  assert.match((await run('show', '10.0.9.2')).out, /\nvendor +Fabrikam\n/);
  assert.equal((await run('forget', '10.0.9.1', '10.0.9.2')).code, 0);
  assert.equal((await run('list', '--json')).out, '[]\n');
  await assert.rejects(
    run('forget', '10.0.9.1'),
    /404: No BMC with UUID, IP address or MAC address 10\.0\.9\.1/,
  );
  await assert.rejects(
    run('scan'),
    /409: The daemon looks for no BMCs, because \[zero_touch\] bmc_networks is empty\./,
  );
});
