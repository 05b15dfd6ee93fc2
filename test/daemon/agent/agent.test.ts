import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  ask,
  command,
  passing,
  pinned,
  soon,
  TOKEN,
  withAnswers,
} from '../../fakes/machines/agent-client.ts';
import type { Node } from '../../../daemon/model/records/node.ts';
import { selfSigned } from '../../../daemon/simulator/certificate.ts';
import { authority, certificateFiles } from '../../fakes/services/certificates.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { answerJson, scriptedAgent } from '../../fakes/machines/scripted-agent.ts';

test('a command is posted with its name, parameters and token', async (t) => {
  const { agent, asked } = await withAnswers(t, (_, response) => answerJson(response, command()));
  const begun = await agent.start('standby.sync', { a: 1 });
  assert.deepEqual(begun, { id: 'c1', name: 'sync', status: 'RUNNING', error: null, result: {} });
  assert.deepEqual(asked, [
    {
      method: 'POST',
      path: '/v1/commands/',
      query: { wait: 'false', agent_token: TOKEN },
      body: { name: 'standby.sync', params: { a: 1 } },
    },
  ]);
});

test('one GET is enough if the agent delays its answer until the command has ended', async (t) => {
  const { agent, asked } = await withAnswers(t, ({ method, query }, response) => {
    const hasEnded = method === 'GET' && query['wait'] === 'true';
    setImmediate(() => answerJson(response, command(hasEnded ? { command_status: 'SUCCEEDED' } : {})));
  });
  assert.equal((await agent.run('standby.sync', {})).status, 'SUCCEEDED');
  assert.equal(asked.length, 2);
});

test('an agent that answers while its command runs is asked again until the command has ended', async (t) => {
  let looks = 0;
  const { agent, clock, asked } = await withAnswers(t, ({ method }, response) => {
    if (method === 'GET') looks += 1;
    answerJson(
      response,
      command(looks < 3 ? {} : { command_status: 'SUCCEEDED', command_result: { 'root uuid': '0x1' } }),
    );
  });
  const done = agent.run('standby.get_partition_uuids', {});
  await passing(done, () => clock.advance(6000));
  assert.deepEqual((await done).result, { 'root uuid': '0x1' });
  assert.deepEqual(
    asked.map(({ method, path }) => `${method} ${path}`),
    ['POST /v1/commands/', ...Array(3).fill('GET /v1/commands/c1')],
  );
});

test('a wait goes on after more unanswered requests than max_command_attempts, if they are not in a row', async (t) => {
  let looks = 0;
  const { agent, clock } = await withAnswers(t, ({ method }, response) => {
    if (method === 'GET') looks += 1;
    if (method === 'GET' && looks % 2 === 1) response.destroy();
    else answerJson(response, command(looks < 12 ? {} : { command_status: 'SUCCEEDED' }));
  });
  const done = agent.run('standby.sync', {});
  await passing(done, () => clock.advance(6000));
  assert.equal((await done).status, 'SUCCEEDED');
});

test('a wait ends after max_command_attempts unanswered requests in a row', async (t) => {
  let looks = 0;
  const { agent, clock } = await withAnswers(t, ({ method }, response) => {
    if (method === 'GET') looks += 1;
    if (method === 'GET' && looks > 1) response.destroy();
    else answerJson(response, command());
  });
  const ended = rejectsFault(agent.run('standby.sync', {}), 'AgentUnreachable', /cannot be reached/);
  await passing(ended, () => clock.advance(6000));
  assert.equal(looks, 4);
});

test('a failed, rejected or timed-out command reports the reason', async (t) => {
  const failed = { type: 'E', code: 500, message: 'short', details: 'could not find sda' };
  const cases: readonly (readonly [object, number, 'AgentFailed' | 'AgentBusy', RegExp])[] = [
    [command({ command_status: 'FAILED', command_error: failed }), 200, 'AgentFailed', /could not find sda/],
    [
      command({ command_status: 'FAILED', command_error: { message: 'm', details: '' } }),
      200,
      'AgentFailed',
      /: m$/,
    ],
    [command({ command_status: 'CLEAN_VERSION_MISMATCH' }), 200, 'AgentFailed', /VERSION_MISMATCH/],
    [
      { faultcode: 'Client', faultstring: '401 Unauthorized: Token invalid.' },
      401,
      'AgentFailed',
      /Token invalid.*boot its ramdisk again/,
    ],
    [
      { faultcode: 'Client', faultstring: 'Agent is busy: executing command x' },
      409,
      'AgentBusy',
      /executing command x/,
    ],
    [
      { faultcode: 'Server', faultstring: 'Agent is busy: executing command x' },
      500,
      'AgentBusy',
      /executing command x/,
    ],
    [
      { faultcode: 'Client', faultstring: 'Not found: Extension with id service not found.' },
      404,
      'AgentFailed',
      /id service not found/,
    ],
    [{}, 500, 'AgentFailed', /HTTP status 500/],
  ];
  for (const [body, status, code, reason] of cases) {
    const { agent } = await withAnswers(t, (_, response) => answerJson(response, body, status));
    await rejectsFault(agent.run('standby.sync', {}), code, reason);
  }
  const { agent, clock } = await withAnswers(t, (_, response) => answerJson(response, command()));
  await passing(rejectsFault(agent.run('standby.sync', {}), 'AgentFailed', /still running after 600 s/), () =>
    clock.advance(6000),
  );
});

test('a malformed reply or a redirect from the agent fails the request', async (t) => {
  const garbage: readonly [string, number][] = [
    ['<html>It works!</html>', 200],
    ['', 200],
    ['null', 200],
    ['[]', 200],
    ['{"id": 5, "command_name": "x", "command_status": "RUNNING"}', 200],
    ['{"id": "5", "command_name": "x", "command_status": "DANCING"}', 200],
    ['['.repeat(100_000), 200],
    ['moved', 302],
  ];
  for (const [text, status] of garbage) {
    const { agent } = await withAnswers(t, (_, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(text);
    });
    await rejectsFault(agent.start('standby.sync', {}), 'AgentFailed', /not a command|HTTP status 302/);
    await rejectsFault(agent.commands(), 'AgentFailed', /not a list of commands|HTTP status 302/);
  }
});

test('an endless agent reply is aborted at 32 MiB', async (t) => {
  const { agent } = await withAnswers(t, (_, response) => {
    const more = Buffer.alloc(1_048_576, 'a');
    const write = () => {
      while (!response.destroyed && response.write(more));
    };
    response.on('drain', write);
    write();
  });
  await rejectsFault(agent.commands(), 'AgentUnreachable', /larger than 32 MiB/);
});

test('an agent that does not answer in time is reported as unreachable', async (t) => {
  const { agent, clock, asked } = await withAnswers(t, () => undefined);
  let expected = 0;
  await passing(
    rejectsFault(agent.start('standby.sync', {}), 'AgentUnreachable', /no complete reply within 60 s/),
    async () => {
      if (asked.length <= expected) return soon();
      expected = asked.length;
      await clock.advance(60_000);
    },
  );
  assert.equal(asked.filter(({ method }) => method === 'POST').length, 3);
});

test('an agent with a closed port or without a URL is reported as unreachable', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const address = free.address();
  assert.ok(typeof address === 'object' && address !== null);
  free.close();
  await once(free, 'close');
  await rejectsFault(
    ask(`http://127.0.0.1:${address.port}`).agent.commands(),
    'AgentUnreachable',
    /ECONNREFUSED/,
  );
  const { agent } = ask(undefined);
  await rejectsFault(agent.start('standby.sync', {}), 'AgentUnreachable', /it has sent no heartbeat/);
});

test('a command with a lost reply is looked up in the command list before it is sent again', async (t) => {
  for (const arrived of [true, false]) {
    let posts = 0;
    const { agent } = await withAnswers(t, ({ method }, response) => {
      if (method === 'POST' && (posts += 1) === 1) response.destroy();
      else if (method === 'POST') answerJson(response, command({ id: 'second' }));
      else {
        const commands = [
          command({ id: 'old', command_status: 'SUCCEEDED' }),
          ...(arrived ? [command({ id: 'first' })] : []),
        ];
        answerJson(response, { commands });
      }
    });
    assert.equal((await agent.start('standby.sync', {})).id, arrived ? 'first' : 'second');
    assert.equal(posts, arrived ? 1 : 2);
  }
});

test('a command with a lost reply is not sent again when something else than the command list is answered', async (t) => {
  for (const list of [{}, { commands: 'none' }, { commands: [{ id: 'first' }] }]) {
    const { agent, asked } = await withAnswers(t, ({ method }, response) => {
      if (method === 'POST') response.destroy();
      else answerJson(response, list);
    });
    await rejectsFault(agent.start('standby.sync', {}), 'AgentFailed', /its reply is not a list of commands/);
    assert.equal(asked.filter(({ method }) => method === 'POST').length, 1);
  }
});

test('the certificate from its heartbeat makes an agent trusted; a missing, other or malformed one does not', async (t) => {
  const files = certificateFiles(t);
  const read = () => ({ cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') });
  const first = read();
  const server = await scriptedAgent(t, (_, response) => answerJson(response, { commands: [] }), first);
  assert.deepEqual(await ask(server.url, pinned(authority())).agent.commands(), []);
  await rejectsFault(ask(server.url).agent.commands(), 'AgentUnreachable', /certificate/);
  files.install('second');
  await rejectsFault(
    ask(server.url, pinned(read().cert)).agent.commands(),
    'AgentUnreachable',
    /certificate|signature/,
  );
  await rejectsFault(ask(server.url, pinned('no certificate')).agent.commands(), 'AgentUnreachable', /./);
});

test('an expired or not yet valid agent certificate is reported with the advice to compare the clocks', async (t) => {
  for (const [issued, reason] of [
    ['2001-01-01', /certificate has expired; compare the clocks/],
    ['2048-01-01', /certificate is not yet valid; compare the clocks.*ipa-ntp-server/],
  ] as const) {
    const own = selfSigned('127.0.0.1', Date.parse(issued));
    const server = await scriptedAgent(t, (_, response) => answerJson(response, { commands: [] }), own);
    await rejectsFault(ask(server.url, pinned(own.cert)).agent.commands(), 'AgentUnreachable', reason);
  }
});

test('without a pinned certificate, driver_info overrides the configured agent CA', async (t) => {
  const files = certificateFiles(t);
  const tls = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
  const server = await scriptedAgent(t, (_, response) => answerJson(response, { commands: [] }), tls);
  const authorityFile = new URL('../../fixtures/tls/authority.pem', import.meta.url).pathname;
  const commands = (ofNode: Node['driver_info'], verify_ca: string) =>
    ask(server.url, { node: { driver_info: ofNode }, own: { verify_ca } }).agent.commands();
  assert.deepEqual(await commands({}, authorityFile), []);
  assert.deepEqual(await commands({}, 'False'), []);
  assert.deepEqual(await commands({ agent_verify_ca: false }, 'True'), []);
  assert.deepEqual(await commands({ agent_verify_ca: authorityFile }, 'True'), []);
  await rejectsFault(commands({ agent_verify_ca: true }, 'False'), 'AgentUnreachable', /certificate/);
  await rejectsFault(
    commands({ agent_verify_ca: '/no/file' }, 'False'),
    'AgentUnreachable',
    /driver_info\/agent_verify_ca.*ENOENT/,
  );
  await rejectsFault(
    commands({ agent_verify_ca: '/dev/zero' }, 'False'),
    'AgentUnreachable',
    /driver_info\/agent_verify_ca.*\/dev\/zero is not a regular file/,
  );
  await rejectsFault(commands({}, '/no/file'), 'AgentUnreachable', /\[agent\] verify_ca.*ENOENT/);
});

test('the node that the agent receives holds no secrets, and the config drive only for deployment', async (t) => {
  const node: Partial<Node> = {
    driver_info: { ipmi_password: 'hush' },
    instance_info: { configdrive: 'H4sI', image_pull_secret: 'hush' },
    driver_internal_info: { hardware_manager_version: { generic: '1.2' } },
  };
  const { agent, asked } = await withAnswers(
    t,
    (_, response) => answerJson(response, command({ command_status: 'SUCCEEDED' })),
    node,
  );
  const step = { interface: 'raid', step: 'apply_configuration', args: { password: 'kept' } };
  for (const phase of ['clean', 'deploy'] as const) {
    await agent.startStep(phase, step);
    await agent.getSteps(phase);
  }
  const bodies = asked.map(({ body }) => JSON.stringify(body));
  for (const body of bodies) assert.doesNotMatch(body, new RegExp(`hush|${TOKEN}`));
  assert.deepEqual(
    bodies.map((body) => body.includes('H4sI')),
    [false, false, true, true],
  );
  const [clean, getSteps] = asked.map(
    ({ body }) => body as { name: string; params: Record<string, unknown> },
  );
  assert.equal(clean?.name, 'clean.execute_clean_step');
  assert.deepEqual(clean?.params['step'], step);
  assert.deepEqual(clean?.params['clean_version'], { generic: '1.2' });
  assert.equal(getSteps?.name, 'clean.get_clean_steps');
  assert.deepEqual(Object.keys(getSteps?.params ?? {}).toSorted(), ['node', 'ports']);
});

test('aborting the work aborts the pending request to the agent', async (t) => {
  const { agent, stop, asked } = await withAnswers(t, () => undefined);
  const begun = agent.start('standby.sync', {});
  while (asked.length === 0) await soon();
  stop.abort(new Error('the service is stopping'));
  await assert.rejects(begun, /the service is stopping/);
  assert.equal(asked.length, 1);
});
