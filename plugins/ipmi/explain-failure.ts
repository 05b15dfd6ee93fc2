// Finds in the output of ipmitool -v why a command failed and, for common failures, tells the operator what to do.

export interface Failure {
  /**
   * `silent`: the BMC was not reached or did not answer. `cipher suite`: another cipher suite may work. `wrong password`: the BMC
   * refused the login. `not admitted`: it does not know the user, or the user lacks a privilege. `refused`: it refused the request, or ipmitool failed.
   */
  readonly kind: 'silent' | 'cipher suite' | 'wrong password' | 'not admitted' | 'refused';
  readonly reason: string;
}

/** `lines`: lists of texts in lower case. An explanation applies if a line of ipmitool's output contains all texts of one list. */
const explanations: readonly (Failure & { readonly lines: readonly (readonly string[])[] })[] = [
  {
    lines: [['address lookup for', 'failed']],
    kind: 'silent',
    reason: 'its name cannot be resolved; check driver_info/ipmi_address and the name service of this host',
  },
  {
    lines: [['could not open socket']],
    kind: 'silent',
    reason: 'there is no route to it; check driver_info/ipmi_address and the routes of this host',
  },
  {
    lines: [
      ['open session response message :', 'invalid role'],
      ['open session response message :', 'unauthorized role'],
    ],
    kind: 'cipher suite',
    reason:
      'it grants no session with this cipher suite and privilege level; set driver_info/ipmi_cipher_suite (usually 17 or 3), [ipmi] cipher_suite_versions or driver_info/ipmi_priv_level',
  },
  {
    lines: [
      ['open session response message :', 'cipher suite'],
      ['open session response message :', 'algorithm'],
      ['open session response message :', 'payload'],
      ['unsupported cipher suite'],
    ],
    kind: 'cipher suite',
    reason:
      'it refuses the cipher suite; set driver_info/ipmi_cipher_suite (usually 17 or 3) or [ipmi] cipher_suite_versions',
  },
  {
    lines: [['unauthorized name'], ['invalid user name']],
    kind: 'not admitted',
    reason:
      'it does not know the user, or does not allow that user network access; check driver_info/ipmi_username',
  },
  {
    lines: [['rakp 2 hmac is invalid'], ['activate session command failed']],
    kind: 'wrong password',
    reason: 'the password is wrong; check driver_info/ipmi_password',
  },
  {
    lines: [['rakp 4 message has invalid integrity check value']],
    kind: 'refused',
    reason: 'the Kg key is wrong or missing; check driver_info/ipmi_hex_kg_key',
  },
  {
    lines: [
      ['unauthorized role or privilege'],
      ['insufficient privilege level'],
      ['set session privilege level to', 'failed'],
    ],
    kind: 'not admitted',
    reason:
      'the privilege level is not sufficient; check driver_info/ipmi_priv_level and what the BMC grants the user',
  },
  {
    lines: [['insufficient resources']],
    kind: 'refused',
    reason: 'it has no free session; end other sessions, or reset the BMC',
  },
];

const SILENCE = /Get Auth Capabilities|Close Session command failed|Unable to (?:establish|get|set|send)/;
const SESSION_OPEN = /^(?:Running Get |Discovered IPMB)/m;
/** Matches lines with an error answer of the BMC. */
const ANSWER = / failed: | rsp=0x[0-9a-f]+\): | message : | indicates an error : /;

/** `exit`: the exit status; null when ipmitool was killed at the deadline or because the task was aborted. */
export function explainFailure(stderr: string, exit: number | null): Failure {
  const printed = stderr.toLowerCase().split('\n');
  const has = (parts: readonly string[]) =>
    printed.some((line) => parts.every((part) => line.includes(part)));
  const known = explanations.find(({ lines }) => lines.some(has));
  if (known !== undefined) return { kind: known.kind, reason: known.reason };
  const refusal = stderr.split('\n').findLast((line) => ANSWER.test(line));
  if (refusal !== undefined) return { kind: 'refused', reason: `it refused: ${quoted(refusal)}` };
  if (exit === null || SILENCE.test(stderr)) return { kind: 'silent', reason: silence(stderr) };
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return { kind: 'refused', reason: `ipmitool ended with status ${exit}: ${quoted(last)}` };
}

function silence(stderr: string): string {
  return SESSION_OPEN.test(stderr)
    ? 'it stopped answering after the login; if this persists, reset the BMC'
    : 'it does not answer; check driver_info/ipmi_address and ipmi_port (UDP), that IPMI over LAN is enabled in the BMC, and firewalls. If the BMC cannot negotiate a cipher suite, set driver_info/ipmi_cipher_suite (usually 17 or 3)';
}

const quoted = (text: string) =>
  `"${text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 200)
    .trim()}"`;
