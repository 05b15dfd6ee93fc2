import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { complaintsOf, isLive, startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import { type Ending, fastDirectory } from '../../fakes/daemon/in-process-daemon.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { DIGESTS } from '../../fakes/people/daemon-with-users.ts';
import { CLIENT, startIdentityProvider } from '../../fakes/people/identity-provider.ts';

const environmentFor = (file: string) => {
  writeFileSync(file, `ann:${DIGESTS.secret}\nrita:${DIGESTS.secret}\n`, { mode: 0o600 });
  return {
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
    IRONIC_DEFAULT__AUTH_STRATEGY: 'http_basic',
    IRONIC_DEFAULT__HTTP_BASIC_AUTH_USER_FILE: file,
    IRONIC_USERS__READERS: 'rita',
    IRONIC_UI__SITE_NAME: 'Site north-3',
  };
};

const fileFor = (name: string) => path.join(fastDirectory(), `${name}-${process.pid}`);

async function signIn(page: Page, user: string, password = 'secret'): Promise<void> {
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Returns the findings of axe; the policy of the page refuses its script, as it should. */
async function findingsOf(page: Page): Promise<unknown> {
  const content = await page.content();
  const context = await page.context().browser()?.newContext({ bypassCSP: true });
  const copy = (await context?.newPage()) ?? assert.fail('there is no browser');
  await copy.route('**/*', (route) => route.fulfill({ body: content, contentType: 'text/html' }));
  await copy.goto('http://copy.test/');
  await copy.evaluate(axe.source);
  const found = await copy.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
  await context?.close();
  return found;
}

const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

test(
  'people sign in, see where they are signed in, make a token, and sign out, on a phone and on a screen',
  { skip: withoutBrowser },
  async (t) => {
    const { url } = await startListening(t, { environment: environmentFor(fileFor('people')) });
    const browser = await startBrowser(t);
    for (const [width, colorScheme] of [
      [360, 'dark'],
      [1280, 'light'],
    ] as const) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      const judge = async (where: string) => {
        assert.deepEqual(await findingsOf(page), [], where);
        assert.equal(await page.evaluate(isTooWide), false, `${where} is too wide`);
      };
      await page.goto(`${url}/ui/events?kind=event`);
      assert.equal(new URL(page.url()).pathname, '/ui/login');
      await judge('the sign-in page');
      await signIn(page, 'ann');
      await isLive(page);
      assert.equal(page.url(), `${url}/ui/events?kind=event`);
      await page.goto(`${url}/ui/users`);
      await page.getByLabel('User', { exact: true }).fill('prometheus');
      await page.getByRole('button', { name: 'Make a token' }).click();
      assert.match((await page.locator('#new-token').textContent()) ?? '', /^iet_[\w-]{43}$/);
      await judge('the view Users');
      await page.goto(`${url}/ui/sessions`);
      await page.getByText('this one').waitFor();
      await judge('the view Sessions');
      await page.locator('#user summary').click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You are signed out.').waitFor();
      await judge('the page after signing out');
      assert.deepEqual(complaints, []);
      await context.close();
    }
  },
);

test(
  'a reader signs out too; pages of an ended session give way to the sign-in page, without a password window',
  { skip: withoutBrowser },
  async (t) => {
    const { url, services } = await startListening(t, { environment: environmentFor(fileFor('readers')) });
    const context = await (await startBrowser(t)).newContext();
    const [page, other] = [await context.newPage(), await context.newPage()];
    await page.goto(`${url}/ui/work`);
    await signIn(page, 'rita');
    await isLive(page);
    await other.goto(`${url}/ui/sessions`);
    await isLive(other);
    await other.locator('#user summary').click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByText('You are signed out.').waitFor();
    await page.waitForURL(`${url}/ui/login?next=%2Fui%2Fwork`);
    await signIn(page, 'rita');
    await isLive(page);
    assert.equal(page.url(), `${url}/ui/work`);
    assert.equal(services.db.userSessions.list().length, 1);
  },
);

test('people sign in at a provider, in a browser with all its rules', { skip: withoutBrowser }, async (t) => {
  const free = await freePort(t);
  const origin = `http://127.0.0.1:${free}`;
  const provider = await startIdentityProvider(t, { origin });
  provider.users.set('u-1', { preferred_username: 'ann@example.com', groups: ['site-admins'] });
  const { url } = await startListening(t, {
    environment: {
      ...environmentFor(fileFor('provider')),
      IRONIC_API__PORT: String(free),
      IRONIC_OIDC__ISSUER: provider.issuer,
      IRONIC_OIDC__CLIENT_ID: CLIENT.id,
      IRONIC_OIDC__CLIENT_SECRET: CLIENT.secret,
      IRONIC_OIDC__ADMINS: 'site-admins',
      IRONIC_OIDC__BUTTON: 'Example SSO',
    },
  });
  const page = await (await (await startBrowser(t)).newContext()).newPage();
  await page.goto(`${url}/ui/health`);
  await page.getByRole('link', { name: 'Sign in with Example SSO' }).click();
  await page.locator('[name=login]').fill('u-1');
  await page.locator('[name=password]').fill('any');
  await page.locator('button').click();
  await page.locator('button').click();
  await page.waitForURL(`${url}/ui/health`);
  await isLive(page);
  assert.match((await page.locator('#user summary').textContent()) ?? '', /oidc:ann@example\.com/);
});

/** Returns a port that is free now: the provider must know the daemon's URL before the daemon starts. */
async function freePort(test_: Ending): Promise<number> {
  const daemon = await startListening(test_, {});
  await daemon.stop();
  return Number(new URL(daemon.url).port);
}
