// The sentence in an error document.
import assert from 'node:assert/strict';
import type { ApiReply } from './api-session.ts';

export function faultString({ body }: ApiReply): string {
  const text = (body as { readonly error_message?: unknown }).error_message;
  assert.equal(typeof text, 'string', `no error document: ${JSON.stringify(body)}`);
  return (JSON.parse(text as string) as { readonly faultstring: string }).faultstring;
}
