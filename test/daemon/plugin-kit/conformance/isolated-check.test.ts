import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Finding } from '../../../../daemon/plugin-kit/conformance/check-plugin.ts';
import { isolatedCheck } from '../../../../daemon/plugin-kit/conformance/isolated-check.ts';
import { discoverPlugins } from '../../../../daemon/plugin-host/manifests/discover.ts';
import { keepHostBusy } from '../../../fakes/daemon/busy-host.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

const inTree = new URL('../../../../plugins', import.meta.url).pathname;
const { plugins } = discoverPlugins([inTree], inTree);

const power = (
  more = '',
  first = '',
) => `import { definePower, driverInfoText, invalidDriverInfo, requireDriverInfo } from '#plugin-api';
${first}
const properties = {
  acme_address: { description: 'Where it is.', required: true },
  acme_password: { description: 'A password.', required: true, secret: true },
};
export const acme = {
  properties, supportedTargets: ['power on'], supportsPowerSync: true,
  validate({ node }) {
    requireDriverInfo(node, properties);
    driverInfoText(node, 'acme_password', '');
    if (!/^[\\d.]{7,15}$/.test(driverInfoText(node, 'acme_address', ''))) throw invalidDriverInfo(node, 'acme_address', 'an address');
  },
  async getPowerState() { return 'power on'; },
  async setPowerState() {},
  ${more}
};`;
const periodic = (interval: string) =>
  power(`periodic: { look: { description: 'Looks.', interval: ${interval}, run: async () => {} } },`);

/** The defect, the code that has it, the subject that it is found in, and the problem. */
const defects: readonly (readonly [what: string, code: string, subject: RegExp, problem: RegExp])[] = [
  [
    'process.exit at the top level',
    power('', 'process.exit(0);'),
    /^power acme$/,
    /ended the process with exit code 0 before the check/,
  ],
  [
    'process.exit in an operation',
    power('getPowerState: async () => process.exit(0),'),
    /^power acme$/,
    /exit code 0 before the check/,
  ],
  [
    'an endless loop at the top level',
    power('', 'for (;;);'),
    /^power acme$/,
    /it has computed for \d+ s without a pause/,
  ],
  [
    'an endless loop in validation',
    power('validate() { for (;;); },'),
    /^power acme$/,
    /it has computed for \d+ s without a pause/,
  ],
  ['a crash', power('', 'process.abort();'), /^power acme$/, /crashed the process with SIGABRT/],
  [
    'a timer at the top level',
    power('', 'setInterval(() => {}, 1000);'),
    /^nothing is left running$/,
    /leaves 1 timers running/,
  ],
  [
    'a rejection that nobody handles',
    power('', 'void Promise.reject(new Error("stray"));'),
    /^nothing fails outside/,
    /stray/,
  ],
  ...['-5', 'NaN', 'undefined', '1e12', '0.001', '"5"'].map(
    (interval) =>
      [
        `a period of ${interval}`,
        periodic(interval),
        /^power acme$/,
        /interval that is neither 0, nor/,
      ] as const,
  ),
  [
    'an error whose message cannot be read',
    power(
      "getPowerState() { throw Object.defineProperty(new Error(), 'message', { get() { throw 1; } }); },",
    ),
    /^power acme$/,
    /what was thrown cannot be read/,
  ],
  [
    'a revoked proxy',
    power('getPowerState() { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy; },'),
    /^power acme$/,
    /what was thrown cannot be read/,
  ],
  [
    'an interval that names a mistyped option',
    periodic("{ section: 'acme', option: 'intervall' }"),
    /^power acme$/,
    /\[acme\] intervall is undefined, but an interface names it as an interval/,
  ],
  [
    'an interval that names an option with a text',
    periodic("{ section: 'api', option: 'host_ip' }"),
    /^power acme$/,
    /\[api\] host_ip is "127\.0\.0\.1", but an interface names it as an interval/,
  ],
  [
    'a getter that throws',
    power('get periodic() { throw new Error("no period"); },'),
    /^power acme$/,
    /no period/,
  ],
];

const files = (code: string) => ({
  'acme/plugin.json': pluginManifest('acme', {
    entryPoints: { 'ironic.hardware.interfaces.power': { acme: './acme.js:acme' } },
  }),
  'acme/acme.js': code,
});

const check = (folder: string): Promise<readonly Finding[]> =>
  isolatedCheck({ folder, others: plugins }, 256, () => undefined);

const checkCode = (t: TestContext, code: string) => check(path.join(pluginFolder(t, files(code)), 'acme'));

const problemsOf = (findings: readonly Finding[]) =>
  findings.flatMap(({ subject, problems }) => problems.map((problem) => `${subject}: ${problem}`));

describe('the check in a process', { concurrency: 4 }, () => {
  test('finds nothing wrong with a correct plugin whose password is required', async (t) => {
    assert.deepEqual(problemsOf(await checkCode(t, power())), []);
  });

  for (const [what, code, subject, problem] of defects) {
    test(`finds ${what}`, async (t) => {
      const findings = await checkCode(t, code);
      const found = findings.some(
        (one) => subject.test(one.subject) && one.problems.some((text) => problem.test(text)),
      );
      assert.ok(found, JSON.stringify(findings, null, 2));
    });
  }

  test('finds nothing wrong with a large sound plugin on a busy host', async (t) => {
    keepHostBusy(t);
    assert.deepEqual(problemsOf(await check(path.join(inTree, 'redfish'))), []);
  });

  test('finds pipes in place of the manifest and of code', async (t) => {
    const folder = path.join(pluginFolder(t, files(power())), 'acme');
    rmSync(path.join(folder, 'acme.js'));
    execFileSync('mkfifo', [path.join(folder, 'acme.js')]);
    assert.match(problemsOf(await check(folder)).join(), /acme\.js:acme is not a regular file/);
    const other = path.join(pluginFolder(t, {}), 'piped');
    mkdirSync(other);
    execFileSync('mkfifo', [path.join(other, 'plugin.json')]);
    assert.match(
      problemsOf(await check(other)).join(),
      /plugin\.json cannot be read: it is not a regular file/,
    );
  });

  test('reads a manifest that begins with a byte order mark', async (t) => {
    const written = files(power());
    const marked = { ...written, 'acme/plugin.json': `\uFEFF${JSON.stringify(written['acme/plugin.json'])}` };
    assert.deepEqual(problemsOf(await check(path.join(pluginFolder(t, marked), 'acme'))), []);
  });
});
