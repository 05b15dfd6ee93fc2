// What each operation does when the appliance, or something in its place, answers a read otherwise than it should: each resource
// with each fault. No such answer may seem to be a server without a profile, a server that is off, or a profile that is gone.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { BLADE_TYPE, RACK_TYPE, serverMac } from '../../../daemon/simulator/oneview/rack.ts';
import type { FaultAction } from '../../../daemon/simulator/oneview/faults.ts';
import { oneviewManagement } from '../../../plugins/oneview/management.ts';
import { migrateNode } from '../../../plugins/oneview/migrate.ts';
import { ownershipWork, TAKEN } from '../../../plugins/oneview/periodic.ts';
import { oneviewPower } from '../../../plugins/oneview/power.ts';
import { allocateServer, deallocate } from '../../../plugins/oneview/profiles/allocate.ts';
import { recordProfile, storeIntent } from '../../../plugins/oneview/server/node-fields.ts';
import { validateFreeServer } from '../../../plugins/oneview/server/validate-server.ts';
import { Fault } from '../../../daemon/model/faults.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { capabilitiesFor, type OneviewBench, oneviewBench } from '../../fakes/machines/oneview-task.ts';

/** A part of the path of each resource, as the requests of the driver have it. */
const PATHS = {
  server: '/rest/server-hardware/',
  template: '/rest/server-profile-templates/',
  newProfile: '/new-profile',
  profile: '/rest/server-profiles/',
  profiles: '/rest/server-profiles',
  task: '/rest/tasks/',
  console: '/remoteConsoleUrl',
} as const;

type Resource = keyof typeof PATHS;

interface Operation {
  /** What is so before the operation. */
  readonly before?: (bench: OneviewBench) => Promise<unknown>;
  readonly run: (bench: OneviewBench) => Promise<unknown>;
  /** The resources that the operation cannot do without. */
  readonly needs: readonly Resource[];
  /** Those that it reads, but can do without. */
  readonly canDoWithout?: readonly Resource[];
}

const NAME = 'a profile of the daemon';
const setOn = ({ task }: OneviewBench) => oneviewPower.setPowerState(task, 'power on', 60);
const withOwnProfile = ({ apply }: OneviewBench) => apply({ name: NAME });
const withLeftover = async (bench: OneviewBench) => {
  const uri = await bench.apply({ name: NAME });
  bench.appliance.detach(bench.server);
  await recordProfile(bench.task, undefined);
  await storeIntent(bench.task, { name: NAME, task: '' });
  return uri;
};

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'reading the power state': { run: ({ task }) => oneviewPower.getPowerState(task), needs: ['server'] },
  'powering on a free server': { run: setOn, needs: ['server'] },
  'powering on with a boot device': {
    before: async (bench) => {
      await withOwnProfile(bench);
      await oneviewManagement.setBootDevice?.(bench.task, 'cdrom', true);
    },
    run: setOn,
    needs: ['server', 'profile'],
  },
  'powering on with a boot device for one boot': {
    before: async (bench) => {
      await withOwnProfile(bench);
      await oneviewManagement.setBootDevice?.(bench.task, 'pxe', false);
    },
    run: setOn,
    needs: ['server'],
    canDoWithout: ['console'],
  },
  validation: { run: ({ task }) => validateFreeServer(task), needs: ['server', 'template'] },
  'reading the boot device': {
    before: withOwnProfile,
    run: async ({ task }) => oneviewManagement.getBootDevice?.(task),
    needs: ['server', 'profile'],
    canDoWithout: ['console'],
  },
  'setting the boot device': {
    before: withOwnProfile,
    run: async ({ task }) => oneviewManagement.setBootDevice?.(task, 'pxe', true),
    needs: ['server'],
  },
  'reading MAC addresses': {
    run: async ({ task }) => oneviewManagement.getMacAddresses?.(task),
    needs: ['server'],
  },
  'taking a server': {
    run: ({ task }) => allocateServer(task, NAME),
    needs: ['server', 'newProfile'],
    canDoWithout: ['task'],
  },
  'taking a server after an interruption': {
    before: withLeftover,
    run: ({ task }) => allocateServer(task, NAME),
    needs: ['server', 'profiles'],
  },
  'giving a server back': {
    before: withOwnProfile,
    run: ({ task }) => deallocate(task),
    needs: ['server'],
    canDoWithout: ['task'],
  },
  'giving a server back after an interruption': {
    before: withLeftover,
    run: ({ task }) => deallocate(task),
    needs: ['server'],
    canDoWithout: ['profiles'],
  },
  'giving a server back whose profile was not recorded': {
    before: async (bench) => {
      await withOwnProfile(bench);
      await recordProfile(bench.task, undefined);
      await storeIntent(bench.task, { name: NAME, task: '' });
    },
    run: ({ task }) => deallocate(task),
    needs: ['server', 'profile'],
  },
  'looking whether a server was taken': {
    run: async ({ task }) => ownershipWork.taken.concerns?.(task),
    needs: ['server'],
  },
  migration: {
    before: withOwnProfile,
    run: ({ task }) => migrateNode(task, { isDryRun: false, mayPowerOff: true }),
    needs: ['server'],
  },
};

const refused = (status: number, code = 'SOME_REASON'): FaultAction => ({ kind: 'status', status, code });
const other = (status: number, text: string): FaultAction => ({ kind: 'other answer', status, text });
const PAGE = '<html><body>Please log in</body></html>';
/** What another server would be like, which is free and off. */
const OTHER = JSON.stringify({
  uri: '/rest/server-hardware/another',
  name: 'another',
  state: 'NoProfileApplied',
  powerState: 'Off',
  serverProfileUri: null,
});

const LASTING: Readonly<Record<string, FaultAction>> = {
  '400': refused(400),
  '403': refused(403),
  '404': refused(404),
  '500': refused(500),
  '503': refused(503),
  'a page of a proxy with 200': other(200, PAGE),
  'a page of a proxy with 302': other(302, PAGE),
  'a page of a proxy with 404': other(404, PAGE),
  'JSON of a proxy with 404': other(404, '{"error": "not found"}'),
  'a page of a proxy with 502': other(502, PAGE),
  'a page of a proxy with 503': other(503, PAGE),
  'an empty answer': other(200, ''),
  'an empty object': other(200, '{}'),
  'a list': other(200, '[]'),
  null: other(200, 'null'),
  'another resource': other(200, OTHER),
  'half an answer': { kind: 'bad json' },
  silence: { kind: 'reset' },
};

const { '400': _, '403': __, '404': ___, ...PASSING } = LASTING;
const LATE: FaultAction = { kind: 'hang', seconds: 5 };

/** Advances the clock when a late answer falls due. */
async function driven<T>({ task: { clock } }: OneviewBench, work: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const ended = () => Object.assign(state, { isOver: true });
  work.then(ended, ended);
  while (!state.isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!state.isOver && clock.nextDue !== undefined && clock.nextDue - clock.now() <= 5000)
      await clock.advance(5000);
  }
  return work;
}

async function prepared(t: TestContext, { before }: Operation): Promise<OneviewBench> {
  const bench = await oneviewBench(t, { appliance: { showsProfile: 'late' } });
  await before?.(bench);
  // logs in
  await oneviewPower.getPowerState(bench.task);
  return bench;
}

const broken = (bench: OneviewBench, resource: Resource, action: FaultAction, times: number) =>
  bench.appliance.fail({ method: 'GET', path: PATHS[resource], times, action });

for (const [what, operation] of Object.entries(OPERATIONS)) {
  const { run, needs, canDoWithout = [] } = operation;

  test(`${what} fails, and changes nothing, when ${needs.join(' or ')} stays something else`, async (t) => {
    for (const resource of needs)
      for (const [name, action] of Object.entries(LASTING)) {
        // a single profile may be gone indeed, and then somebody else has the server
        if (resource === 'profile' && name === '404') continue;
        const bench = await prepared(t, operation);
        const [applied, writes] = [bench.task.node.driver_info, bench.writes().length];
        const { profile, powerState } = bench.server;
        broken(bench, resource, action, Number.POSITIVE_INFINITY);
        await assert.rejects(run(bench), `${resource}: ${name}`);
        assert.deepEqual(bench.task.node.driver_info, applied, `${resource}: ${name}`);
        assert.deepEqual([bench.server.profile, bench.server.powerState], [profile, powerState]);
        assert.equal(bench.writes().length, writes, `${resource}: ${name}: ${bench.writes().join()}`);
      }
  });

  if (canDoWithout.length > 0)
    test(`${what} succeeds although ${canDoWithout.join(' or ')} stays something else`, async (t) => {
      for (const resource of canDoWithout)
        for (const [name, action] of Object.entries(LASTING)) {
          const bench = await prepared(t, operation);
          broken(bench, resource, action, Number.POSITIVE_INFINITY);
          await assert.doesNotReject(run(bench), `${resource}: ${name}`);
        }
    });

  test(`${what} succeeds although ${[...needs, ...canDoWithout].join(' or ')} is something else once, or late`, async (t) => {
    for (const resource of [...needs, ...canDoWithout])
      for (const [name, action] of Object.entries({ ...PASSING, late: LATE })) {
        const bench = await prepared(t, operation);
        broken(bench, resource, action, 1);
        await assert.doesNotReject(driven(bench, run(bench)), `${resource}: ${name}`);
      }
  });
}

test('a server that a OneView user has is never powered on, and its node never cleaned, whatever the appliance answers', async (t) => {
  for (const [name, action] of Object.entries(LASTING)) {
    const bench = await oneviewBench(t);
    const { appliance, server, task } = bench;
    appliance.claim(server);
    await oneviewPower.getPowerState(task);
    broken(bench, 'server', action, Number.POSITIVE_INFINITY);
    await assert.rejects(setOn(bench), name);
    await task.setMaintenance(TAKEN);
    await assert.rejects(async () => ownershipWork.freed.concerns?.(task), name);
    assert.deepEqual([server.powerState, bench.writes()], ['Off', []], name);
  }
});

test('the profile of an instance is not forgotten, whatever the appliance answers to its removal', async (t) => {
  const isLost = new Set(['404']);
  for (const [name, action] of Object.entries(LASTING).filter(([each]) => !isLost.has(each))) {
    const bench = await oneviewBench(t);
    const uri = await bench.apply();
    bench.appliance.fail({ method: 'DELETE', times: Number.POSITIVE_INFINITY, action });
    // these requests are carried out, but their answers are cut off
    if (action.kind === 'bad json') await deallocate(bench.task);
    else {
      await assert.rejects(deallocate(bench.task), name);
      assert.equal(bench.task.node.driver_info['applied_server_profile_uri'], uri, name);
    }
  }
});

test('an error page in place of an iLO is not a server without MAC addresses', async (t) => {
  const { task, appliance } = await oneviewBench(t, { ports: [serverMac(2)], template: 'rack' });
  const rack = appliance.addServer(2, { isRack: true });
  await task.update({
    driver_info: { server_hardware_uri: rack.uri },
    properties: { capabilities: capabilitiesFor('rack').replace(BLADE_TYPE, RACK_TYPE) },
  });
  await validateFreeServer(task);
  rack.iloTrouble = 'web page';
  await rejectsFault(
    validateFreeServer(task),
    'BmcFailure',
    /its answer to GET \/redfish\/.* is not a system/,
  );
});

test('something else that answers the login, or the request for the versions, is not a wrong password', async (t) => {
  for (const path of ['/rest/version', '/rest/login-sessions'])
    for (const [name, action] of Object.entries(PASSING)) {
      const { task, appliance } = await oneviewBench(t);
      appliance.fail({ path, times: Number.POSITIVE_INFINITY, action });
      await assert.rejects(
        async () => oneviewPower.getPowerState(task),
        (error) => error instanceof Fault && error.code !== 'BmcCredentialsRefused',
        `${path}: ${name}`,
      );
      appliance.faults.clear();
      assert.equal(await oneviewPower.getPowerState(task), 'power off', `${path}: ${name}`);
    }
});

test('the version of the REST API is not asked for when the operator has chosen it', async (t) => {
  const { task, appliance } = await oneviewBench(t, { options: { api_version: 300 } });
  appliance.fail({ path: '/rest/version', times: Number.POSITIVE_INFINITY, action: { kind: 'reset' } });
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
});
