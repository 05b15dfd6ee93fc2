// What replies of the API hold, once their status is as expected.
import assert from 'node:assert/strict';
import type { ApiReply } from './api-session.ts';

/** The body of a reply with `status`. */
export async function expectReply<T = Readonly<Record<string, unknown>>>(
  reply: Promise<ApiReply>,
  status: number,
): Promise<T> {
  const { status: actual, body } = await reply;
  assert.equal(actual, status, JSON.stringify(body));
  return body as T;
}

/** The sentence of a refusal with `status`. */
export async function expectFault(reply: Promise<ApiReply>, status: number): Promise<string> {
  const { error_message: text } = await expectReply<{ error_message: string }>(reply, status);
  const { faultstring } = JSON.parse(text) as { faultstring: string };
  return faultstring;
}
