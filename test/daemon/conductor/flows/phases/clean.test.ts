import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

const settings = [{ name: 'Turbo', value: 'on' }];
const applied = `apply ${JSON.stringify({ settings })}`;

test('manual cleaning runs the steps in the listed order and ends in manageable', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { apply: 7000 } });
  const clean_steps = [
    step('bios.apply', { settings }),
    step('bios.factory_reset'),
    step('bios.apply', { settings }),
  ];
  const answer = await daemon.verb(node, 'clean', { clean_steps });
  assert.deepEqual([answer.status, answer.text], [202, '']);
  const { provision_state, target_provision_state, clean_step } = daemon.node(node);
  assert.deepEqual([provision_state, target_provision_state], ['cleaning', 'manageable']);
  assert.deepEqual(clean_step, {
    interface: 'bios',
    step: 'apply',
    args: { settings },
    priority: 0,
    abortable: true,
    requires_ramdisk: false,
  });
  await daemon.clock.advance(14_000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(daemon.notes(node), [applied, 'factory_reset', applied]);
  assert.deepEqual(daemon.node(node).clean_step, {});
});

test('automated cleaning runs driver and agent steps with a priority, highest first', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [
    offer('deploy.erase_devices', 10),
    offer('deploy.erase_devices_metadata', 99),
    offer('deploy.erase_pstore', 0),
    // the deploy interface has a step with the same name
    offer('deploy.polish', 50),
    // not run: no interface of the node offers the agent's RAID steps
    offer('raid.delete_configuration', 40),
  ];
  assert.equal((await daemon.verb(node, 'provide')).status, 202);
  assert.deepEqual(await daemon.state(node), ['clean wait', 'available']);
  assert.deepEqual(daemon.notes(node), ['prepareCleaning']);
  await agent.boot();
  await agent.beat();
  assert.deepEqual(agent.asked, ['get_clean_steps', 'execute_clean_step erase_devices_metadata']);
  assert.deepEqual(await daemon.state(node), ['clean wait', 'available']);
  // the step is still running at this heartbeat
  await agent.beat();
  agent.end();
  await agent.beat();
  // equal priorities: management before deploy, deploy in declared order
  assert.deepEqual(daemon.notes(node), [
    'prepareCleaning',
    'ended erase_devices_metadata clean_result clean_step',
    'set_clock',
    'wipe',
    'polish',
  ]);
  assert.deepEqual(agent.asked.slice(2), ['execute_clean_step erase_devices']);
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['available', null]);
  assert.deepEqual(daemon.notes(node).slice(5), [
    'ended erase_devices clean_result clean_step',
    'tearDownCleaning',
  ]);
  const { clean_step, driver_internal_info } = daemon.node(node);
  assert.deepEqual(clean_step, {});
  // only the cached agent steps, the data of the agent and the notes of the test plugin remain
  assert.deepEqual(Object.keys(driver_internal_info).toSorted(), [
    'agent_cached_clean_steps',
    'agent_last_heartbeat',
    'agent_version',
    'notes',
  ]);
});

test('the agent receives the step, the node without secrets, its ports and the hardware manager versions', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { lab_password: 'hunter2' } });
  await daemon.createPort(node, '52:54:00:00:00:01');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [
    offer('deploy.burnin', 0, { argsinfo: { hours: { description: 'Hours.', required: true } } }),
  ];
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.burnin', { hours: 2 })] });
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  const { step: given, node: shown, ports, clean_version } = agent.parameters;
  assert.deepEqual(given, {
    interface: 'deploy',
    step: 'burnin',
    args: { hours: 2 },
    priority: 0,
    abortable: true,
    requires_ramdisk: true,
  });
  assert.deepEqual(clean_version, { stepping: '1.0' });
  assert.equal((shown as { driver_info: Record<string, unknown> }).driver_info['lab_password'], '******');
  assert.deepEqual(
    (ports as { address: string }[]).map(({ address }) => address),
    ['52:54:00:00:00:01'],
  );
});

test('an invalid step or argument fails cleaning before any step runs', async (t) => {
  const daemon = await startStepping(t);
  const cases: readonly (readonly [object[], RegExp, object?])[] = [
    [[step('bios.factory_reset'), step('bios.apply')], /bios\.apply lacks the required arguments settings/],
    [
      [step('bios.apply', { settings, colour: 1 })],
      /unexpected arguments: colour. It takes settings, reboot/,
    ],
    [[step('bios.fly'), step('bios.apply', { settings })], /the node has no step bios\.fly/],
    [[step('management.check_clock')], /has no step management\.check_clock/],
    [[step('deploy.__proto__')], /has no step deploy\.__proto__/, { disable_ramdisk: true }],
    [
      [step('deploy.wipe')],
      /deploy\.wipe needs a ramdisk, but disable_ramdisk forbids one/,
      { disable_ramdisk: true },
    ],
    [[step('deploy.wait')], /"wait" needs the argument "seconds"/],
    [[step('deploy.wait', { seconds: 'long' })], /argument "seconds" of step "wait" is "long"/],
    [[step('deploy.hold', { for: 1 })], /hold has unexpected arguments: for/],
    [[step('deploy.hold', undefined, { execute_on_child_nodes: true })], /"hold" cannot run on child nodes/],
  ];
  for (const [clean_steps, reason, more = {}] of cases) {
    const node = await daemon.stepping('manageable');
    assert.equal((await daemon.verb(node, 'clean', { clean_steps, ...more })).status, 202);
    assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
    const { last_error, maintenance, clean_step } = daemon.node(node);
    assert.match(last_error ?? '', reason);
    assert.deepEqual([maintenance, clean_step, daemon.notes(node)], [false, {}, []]);
  }
});

test('an invalid agent step fails cleaning before any step runs', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.burnin', 0)];
  await daemon.verb(node, 'clean', {
    clean_steps: [step('bios.factory_reset'), step('deploy.burnin', { hours: 2 })],
  });
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  await agent.boot();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(
    daemon.node(node).last_error ?? '',
    /deploy\.burnin has unexpected arguments: hours. It takes none/,
  );
  assert.deepEqual(daemon.notes(node), ['prepareCleaning', 'tearDownCleaning']);
  assert.equal(daemon.node(node).maintenance, false);
});

test('a failed step ends cleaning in maintenance with the reason and clears the step data', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { factory_reset: 'the BMC burns' } });
  const clean_steps = [
    step('bios.apply', { settings }),
    step('bios.factory_reset'),
    step('bios.apply', { settings }),
  ];
  await daemon.verb(node, 'clean', { clean_steps });
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  const failed = daemon.node(node);
  assert.equal(failed.last_error, 'Cleaning failed: Step bios.factory_reset failed: the BMC burns');
  assert.deepEqual(
    [failed.maintenance, failed.fault, failed.maintenance_reason],
    [true, 'clean failure', failed.last_error],
  );
  assert.deepEqual([failed.clean_step, Object.keys(failed.driver_internal_info)], [{}, ['notes']]);
  assert.deepEqual(daemon.notes(node), [applied, 'factory_reset']);
});

test('a failed agent step sets last_error from the agent and tears the ramdisk down', async (t) => {
  const daemon = await startStepping(t, { ini: 'poweroff_in_cleanfail = true\n' });
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.erase_devices', 99)];
  await daemon.verb(node, 'provide');
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  agent.end('FAILED', 'disk sda is write-protected');
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'available']);
  const { last_error, fault, power_state } = daemon.node(node);
  assert.match(last_error ?? '', /Step deploy\.erase_devices failed: disk sda is write-protected/);
  assert.deepEqual([fault, power_state], ['clean failure', 'power off']);
  assert.deepEqual(daemon.notes(node), ['prepareCleaning', 'tearDownCleaning']);
  assert.deepEqual(agent.asked.at(-1), 'collect_system_logs');
});

test('automated_clean of the node overrides the configuration', async (t) => {
  for (const [automated, ofNode, cleaned] of [
    [true, null, true],
    [true, false, false],
    [false, null, false],
    [false, true, true],
  ] as const) {
    const daemon = await startStepping(t, { ini: `automated_clean = ${automated}\n` });
    const node = await daemon.stepping('manageable', { automated_clean: ofNode });
    await daemon.verb(node, 'provide');
    const state = await daemon.state(node);
    assert.deepEqual(state, cleaned ? ['clean wait', 'available'] : ['available', null]);
    assert.deepEqual(daemon.notes(node), cleaned ? ['prepareCleaning'] : []);
    await daemon.stop();
  }
});

test('automated cleaning of a retired node ends in manageable', async (t) => {
  const daemon = await startStepping(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, {
    provision_state: 'cleaning',
    target_provision_state: 'available',
    retired: true,
  });
  const { cleanAutomatically } = await import('../../../../../daemon/conductor/flows/phases/clean.ts');
  const { withTask } = await import('../../../../../daemon/conductor/tasks/run-task.ts');
  await withTask({ services: daemon.services, caller: null }, uuid, cleanAutomatically);
  assert.deepEqual(await daemon.state(uuid), ['manageable', null]);
});

test('the configuration overrides the priorities of driver and agent steps', async (t) => {
  const daemon = await startStepping(t, {
    ini: `clean_step_priority_override = deploy.wipe:0,bios.factory_reset:40,management.set_clock:9
clean_step_priority_override = deploy.polish:0
[deploy]
erase_devices_priority = 0
erase_devices_metadata_priority = 95
`,
  });
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.erase_devices', 10), offer('deploy.erase_devices_metadata', 5)];
  await daemon.verb(node, 'provide');
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  assert.deepEqual(agent.asked.slice(1), ['execute_clean_step erase_devices_metadata']);
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['available', null]);
  const ran = daemon.notes(node).filter((note) => /^(wipe|polish|factory_reset|set_clock)/.test(note));
  assert.deepEqual(ran, ['factory_reset', 'set_clock']);
});

test('the history records the start and end of cleaning without secrets', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { apply: 1000 } });
  const secret = [{ name: 'AdminPassword', password: 'hunter2' }];
  await daemon.verb(node, 'clean', { clean_steps: [step('bios.apply', { settings: secret })] });
  const shown = await daemon.request('GET', `/v1/nodes/${node}`);
  assert.match(shown.text, /"clean_step":\{"interface":"bios","step":"apply"/);
  assert.doesNotMatch(shown.text + daemon.log(), /hunter2/);
  await daemon.clock.advance(1000);
  await daemon.idle();
  await daemon.verb(node, 'clean', { clean_steps: [step('bios.fly')] });
  await daemon.idle();
  const { body } = await daemon.request('GET', `/v1/nodes/${node}/history/detail`);
  assert.deepEqual(
    body.history.map(({ event_type, severity, event }) => [event_type, severity, event]),
    [
      [
        'manual_cleaning_start',
        'INFO',
        'Steps: bios.apply {"settings":[{"name":"AdminPassword","password":"******"}]}.',
      ],
      ['manual_cleaning_end', 'INFO', 'All steps have run.'],
      ['manual_cleaning_end', 'ERROR', daemon.node(node).last_error],
    ],
  );
});
