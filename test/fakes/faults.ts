// Assertions about faults that are thrown.
import assert from 'node:assert/strict';
import { Fault } from '../../daemon/model/faults.ts';

/** Asserts that `check` throws a fault with the status and a message that matches `reason`. */
export function throwsFault(check: () => unknown, status: number, reason: RegExp): void {
  assert.throws(check, (error) => {
    assert.ok(error instanceof Fault, `not a fault: ${String(error)}`);
    assert.equal(error.status, status, error.message);
    assert.match(error.message, reason);
    return true;
  });
}

/** Asserts that `promised` rejects with the fault `code` and a message that matches `reason`. */
export async function rejectsFault(promised: Promise<unknown>, code: string, reason: RegExp): Promise<void> {
  await assert.rejects(promised, (error) => {
    assert.ok(error instanceof Fault, `not a fault: ${String(error)}`);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, reason);
    return true;
  });
}
