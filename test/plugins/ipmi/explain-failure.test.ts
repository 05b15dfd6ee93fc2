import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { explainFailure } from '../../../plugins/ipmi/explain-failure.ts';

const loading = 'Loading IANA PEN Registry...\n';
const opened = `${loading}Running Get VSO Capabilities my_addr 0x20, transit 0, target 0x20
Invalid completion code received: Invalid command
Discovered IPMB address 0x0
`;
const noSession = 'Error: Unable to establish IPMI v2 / RMCP+ session\n';
const noSession15 =
  'Error: Unable to establish LAN session\nError: Unable to establish IPMI v1.5 / RMCP session\n';

// output of ipmitool 1.8.19, mostly with ipmi_sim 2.0.33
const recorded = [
  [
    'no answer',
    'silent',
    /does not answer/,
    `${loading}Get Auth Capabilities error
Error issuing Get Channel Authentication Capabilities request
${noSession}`,
  ],
  [
    'no answer, IPMI 1.5',
    'silent',
    /does not answer/,
    `${loading}Get Auth Capabilities command failed
${noSession15}`,
  ],
  [
    'an unresolvable host name',
    'silent',
    /name cannot be resolved/,
    `${loading}Address lookup for no-such-host.invalid failed
Could not open socket!
${noSession}`,
  ],
  [
    'no answer after the login',
    'silent',
    /stopped answering/,
    `${opened}Unable to get Chassis Power Status
Close Session command failed
`,
  ],
  [
    'a refused cipher suite',
    'cipher suite',
    /refuses the cipher suite/,
    `${loading}Error in open session response message : invalid authentication algorithm

${noSession}`,
  ],
  [
    'a refused cipher suite in another message',
    'cipher suite',
    /refuses the cipher suite/,
    `Error in open session response message : no matching cipher suite

${noSession}`,
  ],
  [
    'a refused encryption algorithm',
    'cipher suite',
    /refuses the cipher suite/,
    `Error in open session response message : invalid confidentiality algorithm

${noSession}`,
  ],
  [
    'a cipher suite that does not exist',
    'cipher suite',
    /refuses the cipher suite/,
    `Unsupported cipher suite ID : 99

${noSession}`,
  ],
  [
    'a cipher suite for which the BMC grants no privilege level',
    'cipher suite',
    /no session with this cipher suite and privilege level/,
    `${loading}Error in open session response message : invalid role

${noSession}`,
  ],
  [
    'a cipher suite with a lower privilege level',
    'cipher suite',
    /no session with this cipher suite and privilege level/,
    `${loading}Error in open session response message : unauthorized role or privilege level requested

${noSession}`,
  ],
  [
    'a wrong password',
    'wrong password',
    /password is wrong/,
    `${loading}> RAKP 2 HMAC is invalid
${noSession}`,
  ],
  [
    'a wrong password, IPMI 1.5',
    'wrong password',
    /password is wrong/,
    `${loading}Activate Session command failed
${noSession15}`,
  ],
  [
    'an unknown user',
    'not admitted',
    /does not know the user/,
    `${loading}RAKP 2 message indicates an error : unauthorized name
${noSession}`,
  ],
  [
    'an unknown user, IPMI 1.5',
    'not admitted',
    /does not know the user/,
    `Invalid user name
${noSession15}`,
  ],
  [
    'a wrong Kg key',
    'refused',
    /Kg key is wrong/,
    `${loading}> RAKP 4 message has invalid integrity check value
${noSession}`,
  ],
  [
    'an insufficient privilege level',
    'not admitted',
    /privilege level/,
    `Get HPM.x Capabilities request failed, compcode = d4
Set Chassis Power Control to Up/On failed: Insufficient privilege level
`,
  ],
  [
    'a privilege level that the user lacks',
    'not admitted',
    /privilege level/,
    `${loading}RAKP 2 message indicates an error : unauthorized role or privilege level requested
${noSession}`,
  ],
  [
    'too many sessions',
    'refused',
    /no free session/,
    `Error in open session response message : insufficient resources to create a session

${noSession}`,
  ],
  [
    'another refusal of the login',
    'refused',
    /^it refused: "RAKP 2 message indicates an error : invalid role"$/,
    `${loading}RAKP 2 message indicates an error : invalid role\n${noSession}`,
  ],
  [
    'a failed power command',
    'refused',
    /^it refused: "Set Chassis Power Control to Up\/On failed: Unspecified error"$/,
    `${opened}Set Chassis Power Control to Up/On failed: Unspecified error
`,
  ],
  [
    'a boot device that could not be set',
    'refused',
    /^it refused: "Set Chassis Boot Parameter 5 failed: Unspecified error"$/,
    `${opened}Set Chassis Boot Parameter 4 failed: Unspecified error
Set Chassis Boot Parameter 5 failed: Unspecified error
`,
  ],
  [
    'a failed raw command',
    'refused',
    /^it refused: "Unable to send RAW command .*: Invalid command"$/,
    `Unable to send RAW command (channel=0x0 netfn=0x0 lun=0x0 cmd=0x8 rsp=0xc1): Invalid command
`,
  ],
] as const;

for (const [title, kind, reason, stderr] of recorded) {
  test(`explains ${title}`, () => {
    const failure = explainFailure(stderr, 1);
    assert.equal(failure.kind, kind);
    assert.match(failure.reason, reason);
  });
}

test('a killed ipmitool is explained as a BMC that did not answer or stopped answering after the login', () => {
  assert.match(explainFailure(loading, null).reason, /does not answer/);
  assert.match(explainFailure(opened, null).reason, /stopped answering after the login/);
  assert.equal(explainFailure('', null).kind, 'silent');
});

test('an unknown message is quoted in one line of printable characters', () => {
  assert.deepEqual(explainFailure('one\nBad\u001b[31m thing\u0000happened\n', 7), {
    kind: 'refused',
    reason: 'ipmitool ended with status 7: "Bad [31m thing happened"',
  });
});

test('any ipmitool output yields a reason of one bounded printable line', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...recorded.map(([, , , stderr]) => stderr)),
    fc.string().map((text) => `${text} failed: ${text.repeat(50)}`),
  );
  fc.assert(
    fc.property(fc.array(line), fc.option(fc.nat(255)), (lines, exit) => {
      const { kind, reason } = explainFailure(lines.join('\n'), exit);
      assert.ok(['silent', 'cipher suite', 'wrong password', 'not admitted', 'refused'].includes(kind));
      assert.match(reason, /^[\x20-\x7e]{1,400}$/);
    }),
  );
});
