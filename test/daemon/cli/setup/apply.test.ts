import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { apply, undoAll } from '../../../../daemon/cli/setup/apply.ts';
import type { HostChange, Progress, Undo } from '../../../../daemon/cli/setup/change.ts';
import type { SetupJournal } from '../../../../daemon/cli/setup/journal.ts';
import { JOURNAL } from '../../../../daemon/cli/setup/paths.ts';
import { add, additionTo, withoutAdded } from '../../../../daemon/cli/setup/plan/additions.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';

const FILE = '/etc/lab.conf';
const lines: string[] = [];
const progress: Progress = { say: (line) => void lines.push(line), doing: () => undefined };
const never = new AbortController().signal;

interface Given {
  readonly file?: string;
  readonly id?: string;
}

const addition = (
  host: FakeHost,
  journal: SetupJournal,
  text: string,
  { file = FILE, id = 'lines' }: Given = {},
): HostChange => ({
  id,
  says: 'adds',
  shows: [],
  prepare: async () => additionTo(host, file, text),
  apply: async (undo) => add(host, journal, id, { undo, mode: 0o640 }),
});

const read = (host: FakeHost, file = FILE) => readFileSync(host.root + file, 'utf8');

async function added(host: FakeHost, text: string, given: Given = {}): Promise<void> {
  const journal = host.journal();
  await apply([addition(host, journal, text, given)], journal, progress, never);
}

const undone = (host: FakeHost) => undoAll(host, host.journal(), progress);

function hostWith(t: TestContext, text: string): FakeHost {
  const host = fakeHost(t);
  host.write(FILE, text);
  return host;
}

test('what is added is taken away byte by byte, and the file keeps its mode', async (t) => {
  for (const before of ['mine = 1\n', 'mine = 1', '']) {
    const host = hostWith(t, before);
    chmodSync(host.root + FILE, 0o604);
    await added(host, 'ours = 2\n');
    assert.equal(read(host), before === 'mine = 1' ? 'mine = 1\nours = 2\n' : `${before}ours = 2\n`);
    assert.equal(statSync(host.root + FILE).mode & 0o777, 0o604);
    await undone(host);
    assert.equal(read(host), before);
    assert.equal(existsSync(host.root + JOURNAL), false);
  }
});

test('a file that did not exist is gone after the undo', async (t) => {
  const host = fakeHost(t);
  await added(host, 'ours = 2\n');
  assert.equal(statSync(host.root + FILE).mode & 0o777, 0o640);
  await undone(host);
  assert.equal(existsSync(host.root + FILE), false);
});

test('another text replaces the earlier one in its place, whatever the operator has added around it', async (t) => {
  const host = hostWith(t, 'mine = 1\n');
  await added(host, 'ours = 2\n');
  host.write(FILE, `${read(host)}later = 3\n`);
  await added(host, 'ours = 4\n');
  assert.equal(read(host), 'mine = 1\nours = 4\nlater = 3\n');
  assert.equal(withoutAdded(host, host.journal(), FILE, ['lines']), 'mine = 1\nlater = 3\n');
  await undone(host);
  assert.equal(read(host), 'mine = 1\nlater = 3\n');
});

test('a text that the operator has edited is not replaced, and the undo says that it stays', async (t) => {
  const host = hostWith(t, 'mine = 1\n');
  await added(host, 'ours = 2\n');
  host.write(FILE, 'mine = 1\nours = 5\n');
  assert.equal(withoutAdded(host, host.journal(), FILE, ['lines']), 'mine = 1\nours = 5\n');
  lines.length = 0;
  await undone(host);
  assert.equal(read(host), 'mine = 1\nours = 5\n');
  assert.match(lines.join('\n'), /\/etc\/lab\.conf was changed since setup wrote it/);
});

test('a text that moves to another file is taken out of the first one', async (t) => {
  const host = hostWith(t, 'mine = 1\n');
  await added(host, 'ours = 2\n');
  await added(host, 'ours = 2\n', { file: '/etc/other.conf' });
  assert.deepEqual([read(host), read(host, '/etc/other.conf')], ['mine = 1\n', 'ours = 2\n']);
  await undone(host);
  assert.equal(existsSync(`${host.root}/etc/other.conf`), false);
});

test('a link to a file stays a link', async (t) => {
  const host = hostWith(t, 'mine = 1\n');
  mkdirSync(`${host.root}/etc/alternatives`);
  symlinkSync('../lab.conf', `${host.root}/etc/alternatives/lab`);
  await added(host, 'ours = 2\n', { file: '/etc/alternatives/lab' });
  assert.equal(read(host), 'mine = 1\nours = 2\n');
});

test('a run that was killed at any place is repeated and undone', async (t) => {
  const texts = ['first = 1\n', 'second = 2\n'];
  // each change is killed: before it is done, and after it is done but not noted
  for (const killed of [0, 1, 2, 3]) {
    const host = hostWith(t, 'mine = 1\n');
    const changes = (journal: SetupJournal) =>
      texts.map((text, index) => addition(host, journal, text, { id: `change-${index}` }));
    const journal = host.journal();
    for (const [index, change] of changes(journal).entries()) {
      if (index * 2 > killed) break;
      const undo = await change.prepare();
      journal.begins(change.id, undo);
      if (index * 2 === killed) break;
      await change.apply(undo);
      if (index * 2 + 1 === killed) break;
      journal.ends(change.id, 'done');
    }
    const again = host.journal();
    const missing = changes(again).filter((_, index) => !read(host).includes(texts[index] ?? ''));
    await apply(missing, again, progress, never);
    assert.equal(read(host), 'mine = 1\nfirst = 1\nsecond = 2\n', `killed at ${killed}`);
    assert.ok(['change-0', 'change-1'].every((id) => host.journal().isDone(id)));
    await undone(host);
    assert.equal(read(host), 'mine = 1\n', `killed at ${killed}`);
  }
});

test('half a line at the end of the journal is a change that has not begun', async (t) => {
  const host = hostWith(t, 'mine = 1\n');
  await added(host, 'ours = 2\n');
  host.write(JOURNAL, `${read(host, JOURNAL)}{"event":"begins","id":"other","un`);
  assert.deepEqual(host.journal().begun, ['lines']);
  await added(host, 'more = 3\n', { id: 'more' });
  assert.deepEqual(host.journal().begun, ['lines', 'more']);
});

test('an interrupt ends the run after the change that is being made', async (t) => {
  const host = hostWith(t, '');
  const interrupt = new AbortController();
  const journal = host.journal();
  const first = addition(host, journal, 'first = 1\n', { id: 'first' });
  const stops: HostChange = {
    ...first,
    async apply(undo: Undo) {
      interrupt.abort();
      await first.apply(undo);
    },
  };
  const second = addition(host, journal, 'second = 2\n', { id: 'second' });
  await assert.rejects(apply([stops, second], journal, progress, interrupt.signal), {
    exitCode: 130,
    message: /Interrupted\. The same command goes on from here/,
  });
  assert.equal(read(host), 'first = 1\n');
  assert.deepEqual([host.journal().isDone('first'), host.journal().begun], [true, ['first']]);
});

test('a change that fails leaves the ones before it, and the journal knows that it had begun', async (t) => {
  const host = hostWith(t, '');
  const journal = host.journal();
  const fails: HostChange = {
    id: 'fails',
    says: 'fails',
    shows: [],
    prepare: async () => ({ kind: 'files', paths: ['/etc/made'] }),
    async apply() {
      host.write('/etc/made', 'half');
      throw new Error('no space left');
    },
  };
  const change = addition(host, journal, 'first = 1\n');
  await assert.rejects(apply([change, fails], journal, progress, never), /no space left/);
  assert.deepEqual(host.journal().begun, ['lines', 'fails']);
  await undone(host);
  assert.deepEqual([read(host), existsSync(`${host.root}/etc/made`)], ['', false]);
});
