import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { initialNode } from '../../../../../daemon/model/records/node.ts';
import type { DoctorFinding, Examination } from '../../../../../daemon/model/doctor/doctor-finding.ts';
import { checksOfDoctor, examineIfOld, wellIn } from '../../../../../daemon/ui/read/site/examination.ts';
import type { ShownMachine } from '../../../../../daemon/ui/read/machines.ts';
import { machineOf } from '../../../../../daemon/ui/read/machines.ts';
import { healthView } from '../../../../../daemon/ui/views/health.ts';
import { startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';
import { startListening } from '../../../../fakes/daemon/listening-daemon.ts';
import { submit } from '../../../../fakes/clients/page.ts';

const NODE = '7d0c2a3e-9a64-4a0e-8a52-1f6a27d0c0de';

const finding = (probe: string, severity: DoctorFinding['severity'], node: string | null = null) => ({
  probe,
  about: `what ${probe} looks at`,
  severity,
  saw: severity === 'none' ? '' : `${probe} saw it`,
  means: 'it hurts',
  fix: 'mend it',
  node,
});

const examination = (...findings: readonly DoctorFinding[]): Examination => ({
  at: 0,
  failure: undefined,
  findings,
});

const page = { isRunning: false, machines: new Map<string, ShownMachine>(), open: 0, now: 120_000 };

const own = (ok: boolean) => [{ name: 'backup', ok, detail: '', probe: 'backup' }];

describe('what the doctor found, in the view Health', () => {
  it('is left out where a check of the daemon says the same, and kept where that check is well', () => {
    const found = examination(finding('backup', 'error'), finding('disk', 'warning'), finding('x', 'none'));
    assert.deepEqual(
      checksOfDoctor(found, own(false)).map(({ name, ok }) => [name, ok]),
      [['disk', 'advice']],
    );
    assert.deepEqual(
      checksOfDoctor(found, own(true)).map(({ name, ok }) => [name, ok]),
      [
        ['backup', false],
        ['disk', 'advice'],
      ],
    );
    assert.deepEqual(wellIn(found), ['what x looks at']);
    assert.deepEqual(checksOfDoctor(undefined, []), []);
  });

  it('is under a heading of its own where a probe did not finish, or the doctor could not run', async () => {
    const unfinished = examination(finding('tftp', 'unknown'));
    const failure = { at: 0, findings: [], failure: 'no such program' };
    for (const [each, text] of [
      [unfinished, /Could not be checked.*tftp saw it/s],
      [failure, /Could not be checked.*the doctor could not be run: no such program/s],
    ] as const) {
      const checks = checksOfDoctor(each, []);
      const shown = String(await healthView({ ...page, checks, examination: each }));
      assert.match(shown, text);
      assert.match(shown, /No check fails/);
      assert.match(shown, /the doctor looked <time[^>]*>2 min ago/);
    }
  });

  it('offers the action that mends a machine, if its state allows it, with the command to copy', async (t) => {
    const { services } = await startInProcess(t);
    const found = examination(finding('late-work', 'warning', NODE));
    const checks = checksOfDoctor(found, []);
    const shown = (provision_state: 'clean wait' | 'active') => {
      const node = initialNode({ uuid: NODE, name: 'web-1', provision_state });
      const machines = new Map([[NODE, machineOf(services, node, false)]]);
      return healthView({ ...page, checks, machines, examination: found });
    };
    assert.match(String(await shown('clean wait')), /name="action" value="abort" aria-label="abort web-1"/);
    assert.doesNotMatch(String(await shown('active')), /value="abort"/);
    assert.match(String(await shown('active')), /<code>mend it<\/code>.*\/ui\/nodes\/7d0c2a3e/s);
  });

  it('shows three findings of a probe, and the others when the visitor asks', async () => {
    const found = examination(
      ...Array.from({ length: 130 }, () => finding('x', 'error')),
      finding('y', 'error'),
    );
    const shown = String(
      await healthView({ ...page, checks: checksOfDoctor(found, []), examination: found }),
    );
    const [first = '', others = '', more] = shown.split(/<details|<\/details>/);
    assert.equal([...first.matchAll(/x saw it/g)].length, 3);
    assert.match(others, /127 more of x.*30 more: <code>ironic-edge doctor</s);
    assert.match(more ?? '', /y saw it/);
  });

  it('is renewed when it is older than a quarter of an hour', () => {
    const begun: number[] = [];
    const at = (last: number | undefined, now: number) =>
      examineIfOld(
        {
          last: last === undefined ? undefined : { ...examination(), at: last },
          isRunning: false,
          begin: () => void begun.push(now),
        },
        now,
      );
    at(undefined, 1);
    at(0, 900_000);
    at(0, 900_001);
    assert.deepEqual(begun, [1, 900_001]);
  });

  it('comes from a process beside the daemon, which readers may not start', async (t) => {
    const { url, services } = await startListening(t, {
      environment: { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware' },
    });
    const created_at = '2026-01-01T00:00:00+00:00';
    services.db.nodes.insert(
      initialNode({ uuid: NODE, name: 'web-1', driver: 'gone', created_at, provision_state: 'active' }),
    );
    const health = async () => (await fetch(`${url}/ui/health`)).text();
    const asked = await fetch(`${url}/ui/health/examine`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
      body: '',
      redirect: 'manual',
    });
    assert.deepEqual([asked.status, asked.headers.get('location')], [303, '/ui/health']);
    assert.match(await health(), /the doctor is looking/);
    let text = '';
    while (!text.includes('the doctor looked')) text = await health();
    assert.match(text, /web-1 has the driver gone, which is not enabled/);
    assert.match(text, /probes of the doctor found nothing/);
  });
});

describe('the forms of the view Health', () => {
  it('send a plugin’s name to the API, and show why it refuses', async (t) => {
    const daemon = await startInProcess(t);
    const { text } = await submit(daemon, '/ui/health/reload-plugin', [['plugin', '../nodes']]);
    assert.match(text, /Not possible/);
    assert.match(text, /class="notice broken"/);
  });
});
