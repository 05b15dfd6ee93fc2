// Reads API replies and checks their status.
import assert from 'node:assert/strict';
import type { Answer } from '../daemon/in-process-daemon.ts';

/** Checks that the reply has this status. Resolves to its body. */
export async function expectReply<T = Readonly<Record<string, unknown>>>(
  reply: Promise<Answer>,
  status: number,
): Promise<T> {
  const { status: actual, text, json } = await reply;
  assert.equal(actual, status, text);
  return json as T;
}

/** Checks that the reply has this status and an error document. Returns the message of the document. */
export function refused({ status: actual, text, fault }: Answer, status: number): string {
  assert.equal(actual, status, text);
  assert.notEqual(fault, '', `no error document: ${text}`);
  return fault;
}

/** Like `refused`, for a promised reply. */
export const expectFault = async (reply: Promise<Answer>, status: number): Promise<string> =>
  refused(await reply, status);
