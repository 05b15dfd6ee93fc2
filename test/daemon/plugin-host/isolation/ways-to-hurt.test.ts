// Plugins that do harm in many ways, in a real daemon whose API answers meanwhile.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { recklessNames, recklessPlugins } from './reckless-plugin.ts';

/** A way to do harm, the API's error, and whether the plugin's process ends (not checked for `buffers` and `huge`). */
const ways: readonly (readonly [way: string, sentence: RegExp, ends: boolean])[] = [
  ['loop', /it has computed for \d+ s without a pause, as an endless loop does/, true],
  ['block', /it has blocked its process for \d+ s, as a system call that waits does, and was ended/, true],
  ['exit', /its process ended with exit code 0, as after process\.exit\(0\)/, true],
  ['abort', /its process crashed with SIGABRT/, true],
  ['crash', /its process crashed with SIGSEGV/, true],
  ['killGroup', /its process crashed with SIGKILL/, true],
  ['closeDescriptors', /its process crashed|the connection was closed/, true],
  // on a busy machine, the process may be ended because garbage collection blocks it, before it reaches the memory limit
  ['heap', /it used more than 64 MiB of memory \(\[plugins\] memory_limit\)|it has computed for \d+ s/, true],
  ['buffers', /allocat|it used more than 64 MiB/, false],
  ['unhandle', /its process ended with exit code 1/, true],
  ['holdBmc', /its process ended with exit code 3/, true],
  ['output', /it wrote more than 16777216 bytes within a minute/, true],
  ['huge', /RangeError: .* bytes of JSON are too many to hand over|it used more than 64 MiB|heap/, false],
  ['circular', /TypeError: .*circular/, false],
  ['getter', /a getter that throws/, false],
  ['wrongUpdate', /TypeError: task\.update was called with an object with properties; expected/, false],
  ['stubborn', /no answer within 0\.001 s/, false],
];

const count = ways.length + 1;
const calm = `reckless-${ways.length}`;
/** A plugin whose process has not ended and whose prototypes are unchanged. */
const circular = `reckless-${ways.findIndex(([way]) => way === 'circular')}`;

const faultOf = (body: Record<string, string>) => JSON.stringify(body);

describe('a plugin that does harm', () => {
  const path = recklessPlugins({ after }, count);
  let daemon: DaemonProcess;
  const nodes = new Map<string, string>();
  before(async () => {
    daemon = await DaemonProcess.start({
      IRONIC_PLUGINS__PATH: path,
      A_PASSWORD: 'of the daemon',
      IRONIC_PLUGINS__MEMORY_LIMIT: '64',
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: ['fake-hardware', ...recklessNames(count)].join(','),
    });
    for (const name of recklessNames(count)) {
      const { body } = await daemon.request<{ uuid: string }>('POST', '/v1/nodes', { driver: name, name });
      nodes.set(name, body.uuid);
    }
  });
  after(async () => {
    await daemon.stop();
    await daemon[Symbol.asyncDispose]();
  });

  const hurt = (name: string, way: string, more: object = {}) =>
    daemon.request<Record<string, string>>('POST', `/v1/nodes/${name}/vendor_passthru/locked`, {
      way,
      ...more,
    });

  /** Asks another plugin, by the method `hurt`, which does not lock the node. */
  const calmly = (way: string, more: object = {}) =>
    daemon.request<unknown>('POST', `/v1/nodes/${calm}/vendor_passthru/hurt`, { way, ...more });

  describe('while a plugin does harm', { concurrency: 8 }, () => {
    for (const [index, [way, sentence, ends]] of ways.entries()) {
      test(`${way}: the operation fails with a reason, and the API and another plugin keep answering`, async () => {
        const name = `reckless-${index}`;
        const answers = hurt(name, way);
        const over = new AbortController();
        void answers.finally(() => over.abort());
        while (!over.signal.aborted) {
          const [list, other] = await Promise.all([daemon.request('GET', '/v1/nodes'), calmly('nothing')]);
          assert.deepEqual([list.status, other.status, other.body], [200, 200, 'nothing']);
          await setTimeout(20);
        }
        const { status, body } = await answers;
        assert.ok(status >= 500, `${status} ${faultOf(body)}`);
        assert.match(faultOf(body), sentence);
        if (way !== 'stubborn')
          assert.ok(
            faultOf(body).includes(
              `The vendor interface ${name} of plugin ${name} failed in nodeMethods.locked.call on node ${nodes.get(name)}`,
            ),
            faultOf(body),
          );
        assert.equal((await daemon.node(name)).reservation, null);
        const endings = () =>
          daemon.log.filter(
            (line) => line['plugin'] === name && line['msg'] === 'the process of a plugin has ended',
          ).length;
        // the log arrives over a pipe, perhaps after the answer
        if (ends) while (endings() === 0) await setTimeout(20);
        if (way !== 'huge' && way !== 'buffers') assert.equal(endings(), ends ? 1 : 0);
      });
    }
  });

  test('the process of a plugin that called process.exit starts again', async () => {
    const again = async (): Promise<unknown> => {
      const { status, body } = await hurt('reckless-2', 'nothing');
      if (status === 200) return body;
      assert.match(
        faultOf(body),
        /it is not running: its process ended with exit code 0.*It starts again in \d s/,
      );
      return again();
    };
    assert.equal(await again(), 'nothing');
  });

  test('the BMCs that a harmful plugin held are free for other plugins', async () => {
    for (const address of ['192.0.2.7', '192.0.2.8'])
      assert.equal((await calmly('talk', { address })).body, 'talked');
  });

  test('the daemon survives what a plugin leaves behind: timers, rejections, exceptions, logs, changed prototypes', async () => {
    for (const way of ['timer', 'rejection', 'exception', 'logs', 'bomb', 'function', 'pollute'])
      assert.equal((await calmly(way)).status, 200, way);
    assert.equal((await daemon.request('GET', '/v1/nodes')).status, 200);
    const strays = daemon.log.filter(({ msg }) => msg === 'failure outside any operation');
    assert.match(JSON.stringify(strays), /a wild rejection.*a wild exception/s);
    await daemon.logged(({ msg }) => msg === 'more lines of this operation are not logged');
    const flood = daemon.log.filter(({ msg }) => msg === 'flood');
    assert.equal(flood.length, 1000);
  });

  test('processes that a plugin has started, detached or not, do not outlive the process of the plugin', async () => {
    for (const way of ['descendant', 'detached']) {
      const pid = Number((await hurt(circular, way)).body);
      assert.ok(existsSync(`/proc/${pid}`));
      await hurt(circular, 'exit');
      while (existsSync(`/proc/${pid}`)) await setTimeout(10);
      while ((await hurt(circular, 'nothing')).status !== 200) await setTimeout(20);
    }
  });

  test('a plugin gets nothing of the environment of the daemon but what programs need to run', async () => {
    const { body } = await hurt(circular, 'environment');
    assert.match(faultOf(body), /PATH/);
    assert.doesNotMatch(faultOf(body), /A_PASSWORD|IRONIC_(?!EDGE_PLUGIN)/);
  });
});

test('a daemon that is killed leaves no process behind, not even one that loops', async (t) => {
  const daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: recklessPlugins(t, 1),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware,reckless-0',
  });
  await daemon.request('POST', '/v1/nodes', { driver: 'reckless-0', name: 'r' });
  const child = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, 'utf8').trim().split(' ')[0];
  assert.match(child ?? '', /^\d+$/);
  await daemon.request('POST', '/v1/nodes/r/vendor_passthru/hurt', { way: 'later' });
  await daemon[Symbol.asyncDispose]();
  while (existsSync(`/proc/${child}`)) await new Promise((resolve) => setImmediate(resolve));
});
