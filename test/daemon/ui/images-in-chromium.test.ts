import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { complaintsOf, startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { disk, MEBIBYTE } from '../../fakes/images.ts';
import { keptFiles } from '../../fakes/services/image-upload.ts';

const WITHOUT_MOUNT = process.getuid?.() === 0 ? false : 'needs root, to mount a small disk';

async function lab(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'uploads-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const daemon = await startListening(t, { environment });
  const page = await (await startBrowser(t)).newPage();
  /** Lets the page send 500 kB a second. */
  const slow = async () => {
    const session = await page.context().newCDPSession(page);
    const rate = { latency: 0, downloadThroughput: -1, uploadThroughput: 500_000, offline: false };
    await session.send('Network.emulateNetworkConditions', rate);
  };
  const complaints = complaintsOf(page);
  const names = () =>
    daemon.services.db.images.where({ sql: 'TRUE', values: [] }).map(({ name, state }) => `${name} ${state}`);
  const choose = async (name: string, content: string | Uint8Array, checksum = '') => {
    const file = path.join(folder, 'given');
    writeFileSync(file, content);
    await page.goto(`${daemon.url}/ui/images/add`);
    await page.locator('#upload-name').fill(name);
    await page.locator('#upload-file').setInputFiles(file);
    await page.locator('#upload-checksum').fill(checksum);
    await page.getByRole('button', { name: 'Upload' }).click();
  };
  const refusal = async () => page.locator('#upload-state [role=alert]').textContent();
  return {
    daemon,
    page,
    slow,
    complaints,
    names,
    choose,
    refusal,
    kept: () => keptFiles(daemon.stateDirectory),
  };
}

describe('an upload from the page in Chromium', { skip: withoutBrowser }, () => {
  it('becomes an image, with what the daemon has found', async (t) => {
    const { daemon, page, complaints, choose, names, kept } = await lab(t);
    await choose('our base', disk());
    await page.locator('#upload-state [role=alert]').waitFor();
    assert.deepEqual(names(), [], 'a space is no part of a name');
    await choose('our-base', disk());
    await page.waitForURL(`${daemon.url}/ui/images/*-*`);
    await page.getByText('SHA-256').waitFor();
    assert.deepEqual(names(), ['our-base ready']);
    assert.equal(kept().length, 1);
    assert.deepEqual(
      complaints.filter((text) => !/status of (?:400|404)/.test(text)),
      [],
    );
  });

  it('that is no image, is empty, has another digest or a hostile name is refused with its sentence, and leaves nothing', async (t) => {
    const { choose, refusal, names, kept, page } = await lab(t);
    const evil = `<img src=x onerror="document.title='broken in'">`;
    for (const [name, content, checksum, reason] of [
      ['text', 'hello, I am a list of packages\n'.repeat(9), '', /text|format/],
      ['page', '<!doctype html><html>', '', /it is text, such as a web page/],
      ['empty', '', '', /it is empty/],
      ['digest', disk(), `sha256:${'0'.repeat(64)}`, /expected/],
      ['cut', Buffer.from('QFI\u00FB\0\0\0\u0003', 'latin1'), '', /./],
      [evil, disk(), '', /name/i],
      ['../../etc/passwd', disk(), '', /name/i],
    ] as const) {
      await choose(name, content, checksum);
      await page.locator('#upload-state [role=alert]').waitFor();
      assert.match((await refusal()) ?? '', reason, name);
      assert.doesNotMatch((await refusal()) ?? '', /connection broke/, name);
      assert.deepEqual([names(), kept()], [[], []], name);
    }
    assert.doesNotMatch(await page.title(), /broken in/);
  });

  it('that is refused while it is being sent is refused with its sentence', async (t) => {
    const { choose, refusal, names, kept, page } = await lab(t);
    await choose('page', `<!doctype html><html>${'x'.repeat(48 * MEBIBYTE)}`);
    await page.locator('#upload-state [role=alert]').waitFor();
    assert.match((await refusal()) ?? '', /it is text, such as a web page/);
    assert.deepEqual([names(), kept()], [[], []]);
  });

  it('that is stopped, or left, in the middle leaves nothing', async (t) => {
    const { daemon, choose, refusal, names, kept, page, slow } = await lab(t);
    await slow();
    /** Resolves when the daemon has a part of the image. */
    const isUnderWay = async (name: string) => {
      for (;;) {
        const { uuid = '' } = daemon.services.db.images.findBy('name', name) ?? {};
        const bytes = daemon.services.images.fetches.of(uuid)?.progress.bytes ?? 0;
        if (bytes > 0) return;
        await setImmediate();
      }
    };
    const isGone = async () => {
      while (names().length + kept().length > 0) await setImmediate();
    };
    await choose('stopped', disk('a disk', 8 * MEBIBYTE));
    await isUnderWay('stopped');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('#upload-state [role=alert]').waitFor();
    assert.match((await refusal()) ?? '', /stopped; nothing was kept/);
    await isGone();
    await choose('left', disk('a disk', 8 * MEBIBYTE));
    await isUnderWay('left');
    await page.goto(`${daemon.url}/ui/images`);
    await page.getByText('No image yet').waitFor();
    await isGone();
  });

  it('that finds no room on the disk is refused with what to do', { skip: WITHOUT_MOUNT }, async (t) => {
    const state = mkdtempSync(path.join(tmpdir(), 'full-'));
    const catalogue = path.join(state, 'catalogue');
    mkdirSync(catalogue);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', catalogue]);
    t.after(() => {
      execFileSync('umount', [catalogue]);
      rmSync(state, { recursive: true });
    });
    const { choose, refusal, names, page } = await lab(t, { IRONIC_DEFAULT__STATE_PATH: state });
    await choose('large', disk('a disk', 16 * MEBIBYTE));
    await page.locator('#upload-state [role=alert]').waitFor();
    assert.match(
      (await refusal()) ?? '',
      /Image large cannot be stored: the disk of .* is full .*free some space/,
    );
    assert.deepEqual([names(), readdirSync(catalogue)], [[], []]);
  });

  it('is not offered without JavaScript, but the command that does it is named', async (t) => {
    const daemon = await startListening(t, {});
    const context = await (await startBrowser(t)).newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${daemon.url}/ui/images/add`);
    await page.getByText('ironic-edge image add NAME --file FILE').waitFor();
    assert.equal(await page.locator('#upload-file').isVisible(), false);
  });
});
