import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootsTable, pagePart } from './boots-page.ts';
import { countBoots } from './count-boots.ts';
import { journeys, wholeLife } from './journeys.ts';

const POST_SECONDS = 120;

test('the table of boots is what simulated machines do; "npm run boots" writes it', async (t) => {
  const counted = await countBoots(t, journeys, POST_SECONDS);
  assert.equal(bootsTable(counted), pagePart('boots'));
  const life = counted.find(({ journey }) => journey === wholeLife) ?? assert.fail();
  const { own: plain, inSession: kept, byKexec: least } = life;
  assert.deepEqual([plain.boots, kept.boots, least.boots], [4, 2, 1]);
  const saved = plain.seconds - kept.seconds;
  assert.ok(saved > 2 * POST_SECONDS, `fast track saves ${saved} s`);
  const more = kept.seconds - least.seconds;
  // the agent takes some seconds to load and to start the kernel
  assert.ok(more > 0.9 * POST_SECONDS, `kexec saves ${more} s`);
  for (const { journey, own, inSession, byKexec } of counted) {
    assert.ok(inSession.boots <= own.boots, `${journey.verb} from ${journey.from}`);
    assert.ok(byKexec.boots <= inSession.boots, `${journey.verb} from ${journey.from}, by kexec`);
  }
});
