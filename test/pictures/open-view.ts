// Opens a view of a made-up site in a browser.
import type { BrowserContext, Page } from 'playwright-core';
import { isLive } from '../fakes/clients/browser.ts';
import type { MadeUpSite } from './made-up-site.ts';
import type { ShownView } from './shown-views.ts';

/** Posts the form of the page as a visitor would. */
const SUBMIT = `([action, fields]) => {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action;
  for (const [name, value] of fields) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}`;

/** Resolves when the page is shown; one that a form does not answer is then live. */
export async function openView(
  context: BrowserContext,
  { daemon, machines }: MadeUpSite,
  { place, complete, form }: ShownView,
  prepare: (page: Page) => unknown = () => {},
): Promise<Page> {
  const page = await context.newPage();
  await prepare(page);
  const url = `${daemon.url}/ui/${place(machines)}`;
  if (form === undefined) {
    await page.goto(url);
    await isLive(page);
    if (complete !== undefined) await page.getByText(complete).waitFor();
    return page;
  }
  await page.goto(`${daemon.url}/ui/kit`);
  const shown = page.waitForEvent('domcontentloaded');
  await page.evaluate(`(${SUBMIT})(${JSON.stringify([url, form(machines)])})`);
  await shown;
  await page.waitForLoadState('load');
  return page;
}
