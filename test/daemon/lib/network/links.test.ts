import assert from 'node:assert/strict';
import { on } from 'node:events';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { Links } from '../../../../daemon/lib/network/links.ts';
import { systemClock } from '../../../../daemon/lib/clock.ts';
import { NetworkSpace } from '../../../fakes/boot/network-space.ts';
import { skipWithout } from '../../../setup/packages.ts';

const skip = skipWithout('iproute2');
const MODULES = new URL('../../../../daemon/lib/', import.meta.url).pathname;

/** Runs the script in a network namespace, with `links`; resolves to what it prints, line by line. */
async function inSpace(t: TestContext, script: string, environment: readonly string[] = []) {
  const lab = await NetworkSpace.start();
  t.after(() => lab[Symbol.asyncDispose]());
  const source = `
    import { execFileSync } from 'node:child_process';
    import { networkInterfaces } from 'node:os';
    import { Links } from '${MODULES}network/links.ts';
    import { systemClock } from '${MODULES}clock.ts';
    const links = new Links(systemClock, (what, missing) => console.log(what, missing ?? 'is there'));
    ${script}`;
  const node = [process.execPath, '--input-type=module', '-e', source];
  const child = lab.spawn('env', ...environment, ...node);
  child.stderr.pipe(process.stderr);
  const lines = on(createInterface({ input: child.stdout }), 'line', { close: ['close'] });
  const next = async () => ((await lines.next()) as { value?: readonly string[] }).value?.[0];
  return { lab, next };
}

const UNTIL_THERE = `
  await links.follow({ what: 'it', attempt: async () => networkInterfaces().server?.some(({ address }) =>
    address === '10.99.0.9') ? 'done' : { missing: 'is missing' } });`;

test(
  'what is missing is reported, tried again at a change of an interface, and reported when it is there',
  { skip },
  async (t) => {
    const { lab, next } = await inSpace(t, UNTIL_THERE);
    assert.equal(await next(), 'it is missing');
    lab.run('ip', 'address', 'add', '10.99.0.9/24', 'dev', 'server');
    assert.equal(await next(), 'it is there');
    assert.equal(await next(), undefined, 'then nothing keeps the process alive');
  },
);

test('without the program ip, everything is tried again every few seconds', { skip }, async (t) => {
  const { lab, next } = await inSpace(
    t,
    `await links.follow({ what: 'it', attempt: async () => {
       const isThere = networkInterfaces().server?.some(({ address }) => address === '10.99.0.9') ?? false;
       console.log('look');
       return isThere ? 'done' : { missing: 'is missing' };
     } });`,
    ['PATH=/nowhere'],
  );
  // the second look is the one that follows every start of the monitor
  assert.deepEqual([await next(), await next(), await next()], ['look', 'it is missing', 'look']);
  lab.run('ip', 'address', 'add', '10.99.0.9/24', 'dev', 'server');
  assert.deepEqual([await next(), await next()], ['look', 'it is there']);
});

test(
  'what is served on one interface is looked at again when that interface changes, and when no other does',
  { skip },
  async (t) => {
    const { lab, next } = await inSpace(
      t,
      // the kernel reports nothing of these two but what the test does to them: they have no carrier and no IPv6 address
      `for (const name of ['office', 'lab']) execFileSync('ip', ['link', 'add', name, 'type', 'bridge']);
       for (const onInterface of ['office', 'lab'])
       await links.follow({ what: onInterface, onInterface, attempt: async () => {
         console.log(onInterface);
         return 'serving';
       } });`,
    );
    // a look at both at the start, and another when the monitor has been started
    for (const expected of ['office', 'lab', 'office', 'lab']) assert.equal(await next(), expected);

    let mtu = 1400;
    const changes = setInterval(() => lab.run('ip', 'link', 'set', 'office', 'mtu', String(mtu++)), 100);
    assert.equal(await next().finally(() => clearInterval(changes)), 'office', 'the monitor listens');
    /** The next look at another interface: one change may be told in several lines, and cause several looks. */
    const nextAfter = async (name: string) => {
      for (;;) {
        const look = await next();
        if (look !== name) return look;
      }
    };
    lab.run('ip', 'address', 'add', '10.88.0.1/24', 'dev', 'lab');
    assert.equal(await nextAfter('office'), 'lab');
    lab.run('ip', 'link', 'delete', 'office');
    assert.equal(await nextAfter('lab'), 'office');
  },
);

test(
  'a first attempt that rejects is not repeated, and a later one that rejects counts as missing',
  { skip },
  async (t) => {
    const links = new Links(systemClock, () => assert.fail('nothing is reported'));
    await assert.rejects(
      links.follow({ what: 'it', attempt: () => Promise.reject(new Error('taken')) }),
      /taken/,
    );
    const { lab, next } = await inSpace(
      t,
      `let tries = 0;
     await links.follow({ what: 'it', attempt: async () => {
       if (tries++ > 0) throw new Error('is taken');
       return 'serving';
     } });
     console.log('first');`,
    );
    assert.equal(await next(), 'first');
    lab.run('ip', 'link', 'add', 'office', 'type', 'bridge');
    assert.equal(await next(), 'it is taken');
  },
);
