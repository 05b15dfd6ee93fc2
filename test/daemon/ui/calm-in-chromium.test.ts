import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import { startMadeUpSite } from '../../pictures/made-up-site.ts';
import { measure, measured, MOST_BYTES, shiftsOf } from '../../pictures/measured-view.ts';
import { openView } from '../../pictures/open-view.ts';
import { shownViews } from '../../pictures/shown-views.ts';

/** The views whose content changes while somebody looks, and in which a change adds no row. */
const LIVE = ['machines', 'network', 'work', 'health', 'setup'];
const viewsOf = (names: readonly string[]) => shownViews.filter(({ name }) => names.includes(name));

describe('the page in Chromium stays calm', { skip: withoutBrowser }, () => {
  it('moves nothing when a machine changes while somebody looks', async (t) => {
    const site = await startMadeUpSite(t, 12);
    const { services } = site.daemon;
    const context = await (await startBrowser(t)).newContext({ viewport: { width: 1280, height: 900 } });
    for (const [at, view] of viewsOf(LIVE).entries()) {
      const page = await openView(context, site, view, measure);
      await shiftsOf(page);
      const fetched = page.waitForResponse(
        (response) => response.request().resourceType() === 'fetch' && response.url().includes('/ui/'),
      );
      const power_state = at % 2 === 0 ? 'power off' : 'power on';
      services.db.nodes.update(site.machines.active, { power_state });
      await (await fetched).finished();
      assert.deepEqual(await shiftsOf(page), [], view.name);
      await page.close();
    }
  });

  it(`transfers at most ${MOST_BYTES / 1000} kB when a view is opened for the first time`, async (t) => {
    const site = await startMadeUpSite(t, 300);
    const browser = await startBrowser(t);
    for (const view of shownViews.filter(
      ({ form, name }) => form === undefined && name !== 'machine-console',
    )) {
      const context = await browser.newContext();
      const page = await openView(context, site, view, measure);
      const { bytes } = await measured(page);
      assert.ok(bytes > 10_000, `${view.name}: only ${bytes} bytes were counted`);
      assert.ok(bytes <= MOST_BYTES, `${view.name}: ${bytes} bytes`);
      await context.close();
    }
  });
});
