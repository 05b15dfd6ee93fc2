// How tests look at faults: as they are thrown, and as they are answered.
import assert from 'node:assert/strict';
import { Fault } from '../../daemon/model/faults.ts';
import type { ApiReply } from './api-session.ts';

/** `check` throws a fault with the status and a sentence that matches. */
export function throwsFault(check: () => unknown, status: number, reason: RegExp): void {
  assert.throws(check, (error) => {
    assert.ok(error instanceof Fault, `not a fault: ${String(error)}`);
    assert.equal(error.status, status, error.message);
    assert.match(error.message, reason);
    return true;
  });
}

/** The sentence in an error document. */
export function faultString({ body }: ApiReply): string {
  const text = (body as { readonly error_message?: unknown }).error_message;
  assert.equal(typeof text, 'string', `no error document: ${JSON.stringify(body)}`);
  return (JSON.parse(text as string) as { readonly faultstring: string }).faultstring;
}
