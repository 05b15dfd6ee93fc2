// npm run pictures: makes pictures of every view of the page at made-up sites, with an index.html, in .cache/pictures or in the
// folder that is given: npm run pictures -- [FOLDER] [--only NAME,...] [--quick]. --quick: one width, both themes, the small site.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser, withoutBrowser } from '../fakes/clients/browser.ts';
import { type Ending, fastDirectory } from '../fakes/daemon/in-process-daemon.ts';
import { startListening } from '../fakes/daemon/listening-daemon.ts';
import { collectEndings } from '../fakes/endings.ts';
import { DIGESTS } from '../fakes/people/daemon-with-users.ts';
import { type MadeUpSite, startMadeUpSite } from './made-up-site.ts';
import { shownViews } from './shown-views.ts';
import { openView } from './open-view.ts';

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const HEIGHT = 800;
const WIDTHS = [360, 768, 1280, 2560] as const;
const [USUAL] = [1280] as const;

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', default: '' }, quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folder = positionals[0] ?? path.join(import.meta.dirname, '../../.cache/pictures');
const chosen = values.only === '' ? [] : values.only.split(',');
const views = chosen.length === 0 ? shownViews : shownViews.filter(({ name }) => chosen.includes(name));
const SIGN_IN = 'sign-in';
const made: { readonly view: string; readonly file: string }[] = [];

interface Round {
  /** The site that the pictures show: `empty`, `few`, `many` or `offline`. */
  readonly state: string;
  readonly machines: number;
  readonly widths: readonly number[];
}

const ROUNDS: readonly Round[] = [
  { state: 'few', machines: 12, widths: values.quick ? [USUAL] : WIDTHS },
  ...(values.quick
    ? []
    : [
        { state: 'empty', machines: 0, widths: [360, USUAL] },
        { state: 'many', machines: 300, widths: [USUAL] },
      ]),
];

async function pictureOf(page: Page, view: string, parts: readonly (string | number)[]): Promise<void> {
  const file = `${[view, ...parts].join('-')}.png`;
  await page.screenshot({ path: path.join(folder, file), fullPage: true });
  made.push({ view, file });
}

async function picturesOfSite(
  browser: Browser,
  site: MadeUpSite,
  { state, widths }: Omit<Round, 'machines'>,
): Promise<void> {
  for (const width of widths)
    for (const colorScheme of THEMES) {
      const setup = { viewport: { width, height: HEIGHT }, colorScheme, reducedMotion: 'reduce' } as const;
      const context = await browser.newContext(setup);
      for (const view of views) {
        const page = await openView(context, site, view);
        await pictureOf(page, view.name, [state, width, colorScheme]);
        await page.close();
      }
      await context.close();
    }
}

/** The page as it is left when the daemon stops. */
async function picturesOffline(browser: Browser, site: MadeUpSite): Promise<void> {
  const view = views.find(({ name }) => name === 'machines');
  if (view === undefined) return;
  const open: (readonly [Theme, BrowserContext, Page])[] = [];
  for (const colorScheme of THEMES) {
    const context = await browser.newContext({ viewport: { width: USUAL, height: HEIGHT }, colorScheme });
    open.push([colorScheme, context, await openView(context, site, view)]);
  }
  await site.daemon.stop();
  for (const [theme, context, page] of open) {
    await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor();
    await pictureOf(page, view.name, ['offline', USUAL, theme]);
    await context.close();
  }
}

/** The page where people sign in, as it is opened and after a wrong password, and what only exists where people do. */
async function picturesOfPeople(browser: Browser, ending: Ending): Promise<void> {
  const file = path.join(fastDirectory(), `pictures-${process.pid}`);
  writeFileSync(file, `ann:${DIGESTS.secret}\nrita:${DIGESTS.secret}\n`, { mode: 0o600 });
  const daemon = await startListening(ending, {
    environment: {
      IRONIC_DEFAULT__AUTH_STRATEGY: 'http_basic',
      IRONIC_DEFAULT__HTTP_BASIC_AUTH_USER_FILE: file,
      IRONIC_USERS__READERS: 'rita',
      IRONIC_UI__SITE_NAME: 'Site north-3',
    },
  });
  for (const width of values.quick ? [USUAL] : WIDTHS)
    for (const colorScheme of THEMES) {
      const context = await browser.newContext({ viewport: { width, height: HEIGHT }, colorScheme });
      const page = await context.newPage();
      await page.goto(`${daemon.url}/ui/`);
      await pictureOf(page, SIGN_IN, [width, colorScheme]);
      await page.getByLabel('User').fill('ann');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('alert').waitFor();
      await pictureOf(page, SIGN_IN, ['refused', width, colorScheme]);
      await page.getByLabel('Password').fill('secret');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      for (const view of ['users', 'sessions']) {
        await page.goto(`${daemon.url}/ui/${view}`);
        await pictureOf(page, view, ['people', width, colorScheme]);
      }
      await context.close();
    }
  await daemon.stop();
}

function indexOf(names: readonly string[]): string {
  const parts = names.map((name) => {
    const files = made.filter(({ view }) => view === name).map(({ file }) => file);
    const pictures = files.map(
      (file) =>
        `<figure><a href="${file}"><img src="${file}" alt=""></a><figcaption>${file}</figcaption></figure>`,
    );
    return `<h2 id="${name}">${name}</h2><div>${pictures.join('')}</div>`;
  });
  const style =
    'body{font:14px sans-serif}div{display:flex;flex-wrap:wrap;gap:12px}figure{margin:0}img{height:260px;border:1px solid #999}';
  return `<!doctype html><meta charset="utf-8"><title>Pictures</title><style>${style}</style>${parts.join('\n')}`;
}

if (withoutBrowser === false) {
  mkdirSync(folder, { recursive: true });
  const endings = collectEndings();
  try {
    const browser = await startBrowser(endings);
    if (chosen.length === 0 || chosen.includes(SIGN_IN)) await picturesOfPeople(browser, endings);
    for (const { state, machines, widths } of views.length === 0 ? [] : ROUNDS) {
      const site = await startMadeUpSite(endings, machines);
      await picturesOfSite(browser, site, { state, widths });
      if (state === 'few' && !values.quick) await picturesOffline(browser, site);
      else await site.daemon.stop();
    }
    writeFileSync(path.join(folder, 'index.html'), indexOf([SIGN_IN, ...views.map(({ name }) => name)]));
    console.log(`${made.length} pictures: ${path.join(folder, 'index.html')}`);
  } finally {
    await endings.end();
  }
} else {
  console.error(`No pictures: ${withoutBrowser}`);
  process.exitCode = 1;
}
