import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { boundedJson } from '../../../daemon/lib/json/json-text.ts';
import { readCommand, readCommands, readRefusal } from '../../../daemon/agent/replies.ts';

interface Captured {
  readonly status: number;
  readonly body: unknown;
  readonly final?: unknown;
}

const captured = (version: string) =>
  JSON.parse(
    readFileSync(new URL(`../../fixtures/agent/agent-${version}.json`, import.meta.url), 'utf8'),
  ) as Readonly<Record<string, Captured>>;

const bytes = (body: unknown) => Buffer.from(JSON.stringify(body));
// the agent of 2023.1 lists its commands even without a token
const notCommands = new Set(['root', 'status', 'commands-empty', 'no-token', 'bad-token']);

for (const version of ['12.0', '2023.1']) {
  test(`all recorded commands and refusals of agent ${version} can be parsed`, () => {
    let failures = 0;
    for (const [name, { status, body, final }] of Object.entries(captured(version))) {
      if (status >= 400) assert.doesNotMatch(readRefusal(status, bytes(body)), /HTTP status/, name);
      else if (!notCommands.has(name)) {
        for (const command of [body, final ?? body].map((each) => readCommand(boundedJson(bytes(each))))) {
          assert.ok(command, name);
          assert.equal(
            command.error === null,
            command.status === 'RUNNING' || command.status === 'SUCCEEDED',
            name,
          );
          if (command.status === 'FAILED') failures += 1;
        }
      }
    }
    assert.ok(failures > 0);
    assert.deepEqual(readCommands(captured(version)['commands-empty']?.body), []);
  });
}

test('a failed command reports its most detailed error', () => {
  const { 'version-mismatch': mismatch, 'bad-step': badStep } = captured('12.0');
  assert.equal(readCommand(mismatch?.body)?.status, 'VERSION_MISMATCH');
  assert.match(readCommand(mismatch?.body)?.error ?? '', /^Current versions: /);
  assert.equal(readCommand(badStep?.final)?.error, 'Could not find method: no_such_step');
});

test('no reply makes the parsers throw', () => {
  const command = fc.record(
    {
      id: fc.oneof(fc.string(), fc.jsonValue()),
      command_name: fc.oneof(fc.string(), fc.jsonValue()),
      command_status: fc.oneof(fc.constantFrom('RUNNING', 'FAILED', 'SUCCEEDED'), fc.jsonValue()),
      command_error: fc.jsonValue(),
      command_result: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(command, fc.record({ commands: fc.array(command) }), fc.jsonValue()), (value) => {
      const read = readCommand(value);
      if (read !== undefined) assert.deepEqual([typeof read.id, typeof read.name], ['string', 'string']);
      readCommands(value);
      assert.equal(typeof readRefusal(500, bytes(value)), 'string');
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (noise) => void boundedJson(Buffer.from(noise))));
});
