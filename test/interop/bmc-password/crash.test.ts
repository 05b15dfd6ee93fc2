// kill -9 of the daemon at every request to a BMC that gets a login: before the BMC hears the request, and when it has obeyed and
// the answer is lost. Between two requests the daemon stores something, or nothing: so these are also all moments before and after
// its writes. Many BMCs share a kill, each at its own moment, and a second kill hits the daemon while it finds out what they take.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { FakeRedfish } from '../../../daemon/simulator/redfish/fake-redfish.ts';
import type { AccountHabits } from '../../../daemon/simulator/redfish/shape.ts';
import { type ShapeName, shapeOf } from '../../../daemon/simulator/redfish/shapes.ts';
import type { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { enrol, ENVIRONMENT, isAccepted, loginOf, rotate, startBmc, startDaemon } from './site.ts';

interface Change {
  readonly shape: ShapeName;
  /** The user to make; not set: the user of the factory gets another password. */
  readonly username?: string;
  readonly accounts?: Partial<AccountHabits>;
}

const changes: readonly Change[] = [
  { shape: 'plain' },
  { shape: 'lenovo' },
  { shape: 'plain', accounts: { firstPassword: 'opens no session' } },
  { shape: 'plain', username: 'ironic' },
  { shape: 'dell9', username: 'ironic' },
  { shape: 'hpe', username: 'ironic' },
  { shape: 'supermicro', username: 'ironic' },
  { shape: 'ami', username: 'ironic' },
  { shape: 'openbmc', username: 'ironic', accounts: { admits: (password) => /[!#*+]/.test(password) } },
  { shape: 'plain', username: 'ironic', accounts: { firstPassword: 'refuses' } },
];

interface Moment {
  readonly change: Change;
  /** The request at which the daemon dies; 1 is the first. */
  readonly request: number;
  readonly isObeyed: boolean;
}

interface Machine extends Moment {
  readonly name: string;
  readonly fake: FakeRedfish;
}

/** Fewer than any BMC has: no login may be wrong twice in a row. */
const LOCKOUT = 2;
const AT_ONCE = 80;

let started = 0;

/** Each BMC has an address of its own: the daemon remembers which addresses have refused its login. */
function start(t: TestContext, { shape, accounts }: Change): Promise<FakeRedfish> {
  started += 1;
  return startBmc(t, {
    shape,
    host: `127.1.${Math.floor(started / 250)}.${1 + (started % 250)}`,
    differences: { accounts: { ...shapeOf(shape).accounts, ...accounts, lockoutThreshold: LOCKOUT } },
  });
}

/** Resolves when the request has come, which then gets no answer. */
function held({ bmc }: FakeRedfish, { request: at, isObeyed }: Omit<Moment, 'change'>): Promise<void> {
  const answer = bmc.answer.bind(bmc);
  let seen = 0;
  return new Promise((resolve) => {
    bmc.answer = (request) => {
      seen += 1;
      if (seen < at) return answer(request);
      if (isObeyed && seen === at) answer(request);
      resolve();
      return 'silence';
    };
  });
}

const release = ({ bmc }: FakeRedfish): void => void Reflect.deleteProperty(bmc, 'answer');

test('after 300 kills, each BMC takes the login that the daemon has, and has locked nobody out', async (t) => {
  const daemon = await startDaemon(t);
  const moments: Moment[] = [];
  for (const [index, change] of changes.entries()) {
    const fake = await start(t, change);
    const name = `whole-${index}`;
    await enrol(daemon, name, fake);
    assert.equal((await rotate(daemon, name, change.username)).status, 204, name);
    for (let request = 1; request <= fake.bmc.requests.length; request += 1)
      for (const isObeyed of [false, true]) moments.push({ change, request, isObeyed });
  }
  t.diagnostic(`${moments.length} kills`);
  assert.ok(moments.length >= 300, String(moments.length));
  for (let first = 0; first < moments.length; first += AT_ONCE) {
    const machines: Machine[] = [];
    for (const [index, moment] of moments.slice(first, first + AT_ONCE).entries()) {
      const name = `kill-${first + index}`;
      machines.push({ ...moment, name, fake: await start(t, moment.change) });
      await enrol(daemon, name, machines[index]!.fake);
    }
    await killWhileChanging(daemon, machines);
    await killWhileSettling(daemon, machines);
    for (const machine of machines) await checkSettled(daemon, machine);
    // what was interrupted can be repeated
    await Promise.all(
      machines.map(async ({ name, change: { username } }) =>
        assert.equal((await rotate(daemon, name, username)).status, 204, name),
      ),
    );
    for (const machine of machines) await checkSettled(daemon, machine);
    for (const { fake } of machines) await fake.stop();
  }
});

async function killWhileChanging(daemon: DaemonProcess, machines: readonly Machine[]): Promise<void> {
  const asked: Promise<never>[] = [];
  const moments = machines.map((machine) => {
    const { name, fake, change, request } = machine;
    const comes = held(fake, machine);
    const ends = rotate(daemon, name, change.username).then(({ status, body }) =>
      assert.fail(`${name}: ${status} ${JSON.stringify(body)} before request ${request} came`),
    );
    asked.push(ends);
    return Promise.race([comes, ends]);
  });
  await Promise.all(moments);
  await daemon.kill();
  await Promise.allSettled(asked);
  for (const { fake } of machines) release(fake);
}

/** The daemon, started again, dies once more at its first request to each BMC whose login it does not know. */
async function killWhileSettling(daemon: DaemonProcess, machines: readonly Machine[]): Promise<void> {
  const all = machines.map(({ fake, isObeyed }) => held(fake, { request: 1, isObeyed: !isObeyed }));
  await daemon.restart(ENVIRONMENT);
  const asked: Promise<void>[] = [];
  for (const [index, { name }] of machines.entries())
    if ((await loginOf(daemon, name)).pending !== null) asked.push(all[index]!);
  await Promise.all(asked);
  await daemon.kill();
  for (const { fake } of machines) release(fake);
  await daemon.restart(ENVIRONMENT);
}

async function checkSettled(daemon: DaemonProcess, { name, fake, ...moment }: Machine): Promise<void> {
  const about = `${name} ${JSON.stringify(moment)}`;
  let login = await loginOf(daemon, name);
  while (login.pending !== null) {
    const failure = daemon.log.find(({ msg }) => msg === 'the login of the BMC could not be settled');
    assert.equal(failure, undefined, about);
    login = await loginOf(daemon, name);
  }
  assert.ok(isAccepted(fake, login), `${about} ${login.username}`);
  assert.equal(fake.bmc.sessions.accounts.lockouts, 0, about);
}
