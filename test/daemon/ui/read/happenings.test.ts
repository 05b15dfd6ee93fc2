import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readHappenings } from '../../../../daemon/ui/read/happenings.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { get } from '../../../fakes/clients/page.ts';

const ALL = { node: undefined, user: '', kind: '', before: '' };

describe('the pages of the view Events', () => {
  it('together have each event and each request once, the newest first', async (t) => {
    const daemon = await startInProcess(t);
    for (let at = 0; at < 130; at += 1) {
      await daemon.createNode({ name: `n${at}` });
      await daemon.clock.advance(1000);
    }
    const seen: string[] = [];
    const times: string[] = [];
    let pages = 0;
    for (let before: string | undefined = ''; before !== undefined; pages += 1) {
      const page = readHappenings(daemon.services, { ...ALL, before });
      assert.ok(page.happenings.length <= 100);
      seen.push(...page.happenings.map(({ kind, node, at }) => `${kind} ${node} ${at}`));
      times.push(...page.happenings.map(({ at }) => at));
      before = page.next;
    }
    assert.equal(pages, 3);
    assert.deepEqual([seen.length, new Set(seen).size], [260, 260]);
    assert.deepEqual(times, times.toSorted().toReversed());
  });

  it('keep the filter in their links, and say when nothing earlier is kept', async (t) => {
    const daemon = await startInProcess(t);
    for (let at = 0; at < 101; at += 1) await daemon.createNode({ name: `n${at}` });
    const { text } = await get(daemon, '/ui/events?kind=event');
    const [, next = ''] = /href="(\/ui\/events\?kind=event&amp;before=[^"]+)"/.exec(text) ?? [];
    assert.match(text, /id="events"\s+data-live/);
    const earlier = await get(daemon, next.replaceAll('&amp;', '&'));
    assert.match(earlier.text, /This is all that is kept/);
    assert.doesNotMatch(earlier.text, /id="events"/, 'an earlier page does not change');
  });

  it('begin with the newest where the place is none of theirs', async (t) => {
    const daemon = await startInProcess(t);
    await daemon.createNode();
    for (const before of ['x', '~', '-1~', `${'9'.repeat(30)}~`, '1e9~'])
      assert.equal(
        readHappenings(daemon.services, { ...ALL, kind: 'event', before }).happenings.length,
        1,
        before,
      );
    assert.deepEqual(
      readHappenings(daemon.services, { ...ALL, kind: 'request', before: '~gone' }).happenings,
      [],
    );
  });
});
