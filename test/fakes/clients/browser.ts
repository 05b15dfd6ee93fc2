// Debian's Chromium, driven by playwright-core.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import type { Ending } from '../daemon/in-process-daemon.ts';

const CHROMIUM = '/usr/bin/chromium';

/** No limit of speed: a wait of this length, in milliseconds, waits for what never comes. */
const PATIENCE = 300_000;

/** For a test's `skip`: a reason when Chromium is missing, otherwise false. */
export const withoutBrowser = existsSync(CHROMIUM) ? false : 'needs the Debian package chromium';

/** Starts a Chromium that is closed when the test ends. */
export async function startBrowser(test: Ending): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE));
  test.after(() => browser.close());
  return browser;
}

/** Returns a list that grows with each console message and each uncaught error of the page. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('console', (message) => void complaints.push(message.text()));
  page.on('pageerror', (error) => void complaints.push(error.message));
  return complaints;
}

/** Resolves when the page says that it is live. */
export const isLive = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^live$/ })
    .waitFor();

/** Presses Tab until the element has the focus. */
export async function tabTo(element: Locator): Promise<void> {
  await element.waitFor();
  for (let presses = 0; presses < 100; presses += 1) {
    if (await element.evaluate((found) => found === found.ownerDocument.activeElement)) return;
    await element.page().keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${String(element)}`);
}
