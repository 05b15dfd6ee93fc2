// The tab Console in Chromium, on the serial line of a machine whose programs are scripts.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import axe from 'axe-core';
import { hashSync } from 'bcryptjs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { complaintsOf, startBrowser, withoutBrowser } from '../../../fakes/clients/browser.ts';
import type { Ending } from '../../../fakes/daemon/in-process-daemon.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { scriptedProgram } from '../../../fakes/machines/open-line.ts';
import { initialNode } from '../../../../daemon/model/records/node.ts';
import { timestamp } from '../../../../daemon/lib/clock.ts';
import { randomUUID } from 'node:crypto';

/** Shows what is typed in capital letters, so that it cannot be taken for the echo of a browser. */
const CAPITALS = `process.stdout.write('login: ');
process.stdin.on('data', (bytes) => process.stdout.write(bytes.toString().toUpperCase().replaceAll('\\r', '\\r\\n')))`;

const USERS = ['alice', 'bob', 'rita'];

async function startMachine(test: Ending, script = CAPITALS) {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-users-'));
  const file = join(folder, 'htpasswd');
  writeFileSync(file, USERS.map((user) => `${user}:${hashSync('secret', 4)}\n`).join(''), { mode: 0o600 });
  const daemon = await startListening(test, {
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
      IRONIC_DEFAULT__AUTH_STRATEGY: 'http_basic',
      IRONIC_DEFAULT__HTTP_BASIC_AUTH_USER_FILE: file,
      IRONIC_USERS__READERS: 'rita',
    },
  });
  const { db, consoles } = daemon.services;
  const uuid = randomUUID();
  const time = timestamp(Date.now());
  const node = { uuid, name: 'web-4', driver: 'fake-hardware', created_at: time, updated_at: time };
  db.nodes.insert(initialNode(node));
  const open = async (program = script) => {
    db.nodes.update(uuid, { console_enabled: true });
    await consoles.open(uuid, async () => scriptedProgram(program));
  };
  await open();
  return { ...daemon, uuid, open, place: `${daemon.url}/ui/nodes/${uuid}/console` };
}

interface Visitor {
  readonly context: BrowserContext;
  readonly user: string;
}

const as = async (browser: Browser, user: string, more: object = {}): Promise<Visitor> => ({
  context: await browser.newContext(more),
  user,
});

/** Opens the page as a person does: the daemon asks who it is, and then shows the page. */
async function openPage({ context, user }: Visitor, place: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(place);
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(place);
  return page;
}

async function consoleOf(visitor: Visitor, place: string) {
  const page = await openPage(visitor, place);
  const complaints = complaintsOf(page);
  await shows(page, 'login: ');
  return { page, complaints };
}

/** Resolves when the terminal shows the text. */
const shows = (page: Page, text: string) => page.locator('.xterm-rows').getByText(text).waitFor();
const says = (page: Page, text: string | RegExp) =>
  page.locator('#console-state').filter({ hasText: text }).waitFor();
const textOf = (page: Page) => page.locator('.xterm-rows').innerText();

async function type(page: Page, text: string): Promise<void> {
  await page.locator('#console-terminal').click();
  await page.keyboard.type(text);
}

describe('the console in Chromium', { skip: withoutBrowser }, () => {
  it('types from the first key on, without a complaint of the policy of the page', async (t) => {
    const { place } = await startMachine(t);
    const { page, complaints } = await consoleOf(await as(await startBrowser(t), 'alice'), place);
    await says(page, 'Press a key in the console to type');
    await type(page, 'echo hello');
    await shows(page, 'login: ECHO HELLO');
    await says(page, 'You type on this console');
    assert.deepEqual(complaints, []);
    const [font, background] = (await page.evaluate(`(() => {
      const { fontFamily } = getComputedStyle(document.querySelector('.xterm-rows'));
      return [fontFamily, getComputedStyle(document.querySelector('.xterm-scrollable-element')).backgroundColor];
    })()`)) as string[];
    assert.match(font ?? '', /mono/, 'the styles of the terminal are in force');
    assert.equal(background, 'rgb(11, 14, 19)');
  });

  it('lets one user look on while another types, take over, and give back', async (t) => {
    const { place } = await startMachine(t);
    const browser = await startBrowser(t);
    const alice = await consoleOf(await as(browser, 'alice'), place);
    const bob = await consoleOf(await as(browser, 'bob'), place);
    await type(alice.page, 'one ');
    await shows(bob.page, 'login: ONE');
    await says(bob.page, /^alice at .* types on this console, and you look on\.$/);
    // what bob types now goes nowhere
    await type(bob.page, 'lost');
    await bob.page.getByRole('button', { name: 'Take over' }).click();
    await says(bob.page, 'You type on this console');
    await alice.page
      .getByRole('alert')
      .filter({ hasText: /^bob at .* has taken over\.$/ })
      .waitFor();
    await says(alice.page, /^bob at .* types/);
    await bob.page.keyboard.type('two ');
    await shows(alice.page, 'login: ONE TWO');
    await type(alice.page, 'lost');
    await bob.page.getByRole('button', { name: 'Stop typing' }).click();
    await says(alice.page, 'Press a key in the console to type');
    await type(alice.page, 'three');
    await shows(bob.page, 'login: ONE TWO THREE');
    assert.deepEqual(
      [await textOf(bob.page)].filter((text) => text.includes('LOST')),
      [],
    );
    assert.deepEqual([alice.complaints, bob.complaints], [[], []]);
  });

  it('shows a reader all and lets the reader type nothing, on the page and at the socket', async (t) => {
    const { place, url, uuid, services } = await startMachine(t);
    const { page, complaints } = await consoleOf(await as(await startBrowser(t), 'rita'), place);
    await says(page, 'You may look on');
    await type(page, 'reboot');
    for (const name of ['Type', 'Take over', 'Stop typing', 'Send window size', 'Enable the console'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    assert.deepEqual([services.consoles.lineOf(uuid)?.typist, complaints], [undefined, []]);
    const path = `/v1/nodes/${uuid}/states/console/socket?screen=true`;
    const refused = await page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket('${url.replace('http', 'ws')}${path}');
      socket.onopen = () => resolve('opened');
      socket.onclose = () => resolve('refused');
    })`);
    assert.equal(refused, 'refused');
  });

  it('opens no connection while it gives way to the page that links to the screen', async (t) => {
    const { place } = await startMachine(t);
    const { page } = await consoleOf(await as(await startBrowser(t), 'alice'), place);
    const screen = { type: 'redfish-link', url: 'https://192.0.2.7' };
    await page.route('**/states/console', (route) =>
      route.fulfill({ json: { console_enabled: true, console_info: screen } }),
    );
    let sockets = 0;
    page.on('websocket', () => (sockets += 1));
    let loads = 0;
    await page.route(place, (route) => {
      loads += 1;
      return loads === 1 ? route.continue() : route.fulfill({ contentType: 'text/html', body: 'the screen' });
    });
    await page.goto(place, { waitUntil: 'commit' });
    await page.getByText('the screen').waitFor();
    assert.equal(sockets, 0);
  });

  it('does nothing for hostile bytes of the machine but to draw them', async (t) => {
    const hostile = [
      '\\x1b]0;owned\\x07',
      '\\x1b]2;owned\\x1b\\\\',
      `\\x1b]52;c;${Buffer.from('rm -rf /').toString('base64')}\\x07`,
      '\\x1b]8;;javascript:alert(1)\\x07click me\\x1b]8;;\\x07',
      // questions, to which a terminal answers by typing
      '\\x1b[6n\\x1b[c\\x1b[>c\\x1b[21t\\x1b]10;?\\x07\\x1bP$qm\\x1b\\\\',
      '\\x1b[38;2;1;2;3m<img src=x onerror=alert(1)>\\x1b[0m\\x1b[4:3;58;2;9;9;9mline\\x1b[0m',
      '\\x1b]1337;File=inline=1:AAAA\\x07\\x1b[8;500;500t\\x1bc',
      'login: ',
    ].join('');
    const script = `const got = [];
process.stdin.on('data', (bytes) => {
  got.push(bytes.toString('hex'));
  process.stdout.write(bytes.toString() === '?' ? 'got ' + got.join(',') + ';' : '${hostile}');
});
process.stdout.write('${hostile}');`;
    const { place } = await startMachine(t, script);
    const visitor = await as(await startBrowser(t), 'alice', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page, complaints } = await consoleOf(visitor, place);
    const title = await page.title();
    await page.evaluate(`navigator.clipboard.writeText('mine')`);
    await page.locator('#console-terminal').click();
    await page.keyboard.type('?');
    // nothing was typed but the key
    await shows(page, 'got 3f;');
    assert.doesNotMatch(title, /owned/);
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'mine');
    assert.equal(await page.locator('#console-terminal :is(a, img, script)').count(), 0);
    assert.deepEqual([await page.title(), visitor.context.pages().length, complaints], [title, 1, []]);
  });

  it('says why the console is gone, and shows it again when it is back, with what was there before', async (t) => {
    const { place, services, uuid, open } = await startMachine(t);
    const { page } = await consoleOf(await as(await startBrowser(t), 'alice'), place);
    await type(page, 'before');
    await shows(page, 'BEFORE');
    services.db.nodes.update(uuid, { console_enabled: false });
    services.consoles.close(uuid, 'The console was disabled.');
    await says(page, 'The console was disabled. Trying again');
    await page.getByRole('button', { name: 'Enable the console' }).waitFor();
    // it goes on: a program that ends takes its console away again
    await open(`process.stdout.write('back again'); process.stdin.resume()`);
    await shows(page, 'BEFOREback again');
    await says(page, 'Press a key in the console to type');
  });

  it('copies its text, tells the shell its size, and lets the keyboard out', async (t) => {
    const { place } = await startMachine(t);
    const visitor = await as(await startBrowser(t), 'alice', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = await consoleOf(visitor, place);
    await page.getByRole('button', { name: 'Copy text' }).click();
    assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^login: /);
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await says(page, 'You type on this console');
    await page.getByRole('button', { name: 'Send window size' }).click();
    await shows(page, 'STTY ROWS');
    assert.match(await textOf(page), /STTY ROWS \d+ COLS \d+/);
    await page.keyboard.press('Control+Shift+E');
    assert.equal(await page.evaluate('document.activeElement.id'), 'console-copy');
  });

  it('is a text without JavaScript, and has no findings of axe', async (t) => {
    const { place } = await startMachine(t);
    const browser = await startBrowser(t);
    const plain = await openPage(await as(browser, 'alice', { javaScriptEnabled: false }), place);
    await plain.locator('#console-text').getByText('login:').waitFor();
    assert.equal(await plain.locator('#console-terminal').isVisible(), false);
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 1280, height: 800 },
    ]) {
      const { page } = await consoleOf(await as(browser, 'alice', { viewport, bypassCSP: true }), place);
      await page.evaluate(axe.source);
      const found = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
      assert.deepEqual(found, []);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    }
  });
});
