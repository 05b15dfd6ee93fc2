// The body of an error answer: JSON inside JSON, as Ironic encodes it, except for the errors that Ironic's clients expect
// in another form.
import type { Fault } from './faults.ts';

export function errorDocument({ code, status, message }: Fault): object {
  const faultcode = status < 500 ? 'Client' : 'Server';
  // clients expect these errors about bodies and logins without the double encoding
  if (code === 'BodyTooLarge' || code === 'BodyTooDeep') return { faultcode, faultstring: message };
  if (code.startsWith('Authentication')) return { error: { message, code: status } };
  return { error_message: JSON.stringify({ faultcode, faultstring: message, debuginfo: null }) };
}
