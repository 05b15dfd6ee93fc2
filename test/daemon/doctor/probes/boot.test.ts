import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { useImage } from '../../../../daemon/cli/agent-image/agent-images.ts';
import { hostArchitecture } from '../../../../daemon/cli/agent-image/build/packages.ts';
import { configurationLines, linesForUsed } from '../../../../daemon/cli/agent-image/configuration-lines.ts';
import { plantImage } from '../../../fakes/agent-images.ts';
import { newHost, onlyFinding } from '../planted-host.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test('the doctor finds a ramdisk that was built long ago, also behind the link that the configuration names', async (t) => {
  const host = newHost(t);
  const directory = join(host.directory, 'agent-images');
  const settings = { DEFAULT: { state_path: host.directory }, conductor: { file_url_allowed_paths: [] } };
  const old = plantImage(directory, 'old', { built: daysAgo(100) });
  await useImage(directory, old);
  host.configure(linesForUsed(directory, hostArchitecture(), settings));
  onlyFinding(
    await host.examine('ramdisk-age'),
    /^the ramdisk .*agent-images\/old is 100 days old$/,
    /^sudo ironic-edge agent-image update; .*ironic-edge-agent-image\.timer$/,
  );
  await useImage(directory, plantImage(directory, 'new', { built: daysAgo(89) }));
  assert.deepEqual(await host.examine('ramdisk', 'ramdisk-age'), []);
  for (const text of ['{', '[]', '{"built":"soon"}']) {
    writeFileSync(join(old.folder, 'build.json'), text);
    host.configure(configurationLines(old.folder, old.image, settings));
    assert.deepEqual(await host.examine('ramdisk-age'), [], text);
  }
});
