// The alert rules, the dashboard and the text of /metrics, judged by Prometheus' own tool.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { skipWithout } from '../../../setup/packages.ts';

const ALERTS = fileURLToPath(new URL('../../../../daemon/observe/monitoring/alerts.yaml', import.meta.url));
const read = (relative: string) => readFileSync(new URL(relative, import.meta.url), 'utf8');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
const rules = (parse(read('../../../../daemon/observe/monitoring/alerts.yaml')) as Rules).groups.flatMap(
  (group) => group.rules,
);

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}
const dashboard = JSON.parse(read('../../../../daemon/observe/monitoring/dashboard.json')) as Dashboard;
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

function promtool(args: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input });
  assert.equal(status, 0, stdout + stderr);
}

function fileOf(t: TestContext, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'monitoring-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'given.yaml');
  writeFileSync(file, text);
  return file;
}

describe('monitoring', { skip: skipWithout('prometheus') }, () => {
  it('promtool finds no fault with the text of /metrics', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
    await daemon.idle();
    const answer = await daemon.app.fetch(new Request('http://ironic.test/metrics'));
    promtool(['check', 'metrics'], await answer.text());
  });

  it('promtool accepts the alert rules, and each alert fires for a daemon in trouble and for no healthy one', (t) => {
    promtool(['check', 'rules', ALERTS]);
    promtool(['test', 'rules', fileOf(t, read('alerts.yaml').replace('ALERTS', ALERTS))]);
    const tested = read('alerts.yaml');
    for (const { alert } of rules) assert.equal(tested.split(`alertname="${alert}"`).length, 2, alert);
  });

  it('promtool accepts every expression of the dashboard', (t) => {
    const lines = expressions.map((expr, index) => ({
      record: `dashboard:${index}`,
      expr: expr.replaceAll('$instance', '.*'),
    }));
    promtool(['check', 'rules', fileOf(t, JSON.stringify({ groups: [{ name: 'd', rules: lines }] }))]);
  });

  it('every metric that a rule or the dashboard names is exported by the daemon', async (t) => {
    const daemon = await startInProcess(t);
    const text = await (await daemon.app.fetch(new Request('http://ironic.test/metrics'))).text();
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const named = [...expressions, ...rules.map(({ expr }) => expr)].flatMap((expr) =>
      [...expr.matchAll(/(?:ironic_edge|process)_\w+/g)].map(([name]) =>
        name.replace(/_(bucket|count|sum)$/, ''),
      ),
    );
    assert.ok(named.length > 20);
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
  });
});
