// Calls of openstacksdk's baremetal proxy, and what a test of one is given.
import assert from 'node:assert/strict';
import { type PythonShell, pythonShell } from '../../../fakes/python-shell.ts';
import type { Site } from '../site.ts';

/** A call with its positional and named arguments. `{ is: Call }` stands for the record that a call gives. */
export interface Call {
  readonly call: string;
  readonly args?: readonly unknown[];
  readonly kwargs?: object;
}

export type Result = Readonly<Record<string, unknown>>;

export interface Sdk extends AsyncDisposable {
  /** Succeeds; its result, a generator as a list. */
  readonly done: (call: string, args?: readonly unknown[], kwargs?: object) => Promise<unknown>;
  /** Succeeds with a record. */
  readonly record: (call: string, args?: readonly unknown[], kwargs?: object) => Promise<Result>;
  /** Succeeds with a list of records. */
  readonly records: (call: string, kwargs?: object) => Promise<readonly Result[]>;
  /** Raises; the exception's class and message. */
  readonly refused: (call: string, args?: readonly unknown[], kwargs?: object) => Promise<string>;
}

/** Gives the call real arguments and looks at what it gave and at what the API then says. */
export type Scenario = (sdk: Sdk, site: Site) => Promise<void>;

export type Scenarios = Readonly<Record<string, Scenario>>;

type Answer = { readonly result: unknown } | { readonly error: string };

export function sdkShell(url: string, python: string): Sdk {
  const shell: PythonShell = pythonShell(python, 'openstacksdk-shell.py', url);
  const ask = async (call: string, args: readonly unknown[], kwargs: object) =>
    (await shell.ask({ call, args, kwargs } satisfies Call)) as Answer;
  const done = async (call: string, args: readonly unknown[] = [], kwargs: object = {}) => {
    const answer = await ask(call, args, kwargs);
    assert.ok('result' in answer, `${call}: ${JSON.stringify(answer)}`);
    return answer.result;
  };
  return {
    done,
    record: async (...call) => (await done(...call)) as Result,
    records: async (call, kwargs) => (await done(call, [], kwargs)) as readonly Result[],
    async refused(call, args = [], kwargs = {}) {
      const answer = await ask(call, args, kwargs);
      assert.ok('error' in answer, `${call}: ${JSON.stringify(answer)}`);
      return answer.error;
    },
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}
