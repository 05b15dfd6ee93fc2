// A client library whose functions are called by name, and the types of the tests that call them.
import assert from 'node:assert/strict';
import type { ClientShell } from '../../fakes/clients/client-shell.ts';
import type { Site } from './site.ts';

export type Result = Readonly<Record<string, unknown>>;

export const uuidsOf = (records: readonly Result[]) => records.map((record) => record['uuid']);

/** Each function calls a function of the library with positional and named arguments; Go has no named ones. */
export interface Library {
  /** Whether the library is the newest release, which has arguments that Debian's lacks. */
  readonly newest: boolean;
  /** Checks that the call succeeds, and returns its result. */
  readonly done: (call: string, args?: readonly unknown[], kwargs?: object) => Promise<unknown>;
  /** The same as `done`, for a call whose result is a record. */
  readonly record: (call: string, args?: readonly unknown[], kwargs?: object) => Promise<Result>;
  /** The same as `done`, for a call whose result is a list of records. */
  readonly records: (call: string, args?: readonly unknown[], kwargs?: object) => Promise<readonly Result[]>;
  /** Checks that the call fails, and returns the error's message. */
  readonly refused: (call: string, args?: readonly unknown[], kwargs?: object) => Promise<string>;
}

/** Makes a call with real arguments, and checks its result and the API's records. */
export type Scenario = (library: Library, site: Site) => Promise<void>;

/** Scenarios by the call that each tests. */
export type Scenarios = Readonly<Record<string, Scenario>>;

type Answer = { readonly result: unknown } | { readonly error: string };

export function libraryOf(shell: ClientShell, newest = true): Library {
  const ask = async (call: string, args: readonly unknown[] = [], kwargs: object = {}) =>
    (await shell.ask({ call, args, kwargs })) as Answer;
  const done: Library['done'] = async (call, args, kwargs) => {
    const answer = await ask(call, args, kwargs);
    assert.ok('result' in answer, `${call}: ${JSON.stringify(answer)}`);
    return answer.result;
  };
  return {
    newest,
    done,
    record: async (...call) => (await done(...call)) as Result,
    records: async (...call) => (await done(...call)) as readonly Result[],
    async refused(call, args, kwargs) {
      const answer = await ask(call, args, kwargs);
      assert.ok('error' in answer, `${call}: ${JSON.stringify(answer)}`);
      return answer.error;
    },
  };
}
