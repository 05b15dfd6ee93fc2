// Debian's Chromium, driven by playwright-core.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import type { Ending } from './in-process-daemon.ts';

const CHROMIUM = '/usr/bin/chromium';

/** The sentence for tests that need a browser; false when there is one. */
export const withoutBrowser = existsSync(CHROMIUM) ? false : 'needs the Debian package chromium';

/** Closed when the test ends. */
export async function startBrowser(test: Ending): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  test.after(() => browser.close());
  return browser;
}
