import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnswerParts, answersFrom, recorded } from '../../../../daemon/cli/setup/answers.ts';
import { askerOf, type ReadLine } from '../../../../daemon/cli/setup/ask.ts';
import type { Interface, Network } from '../../../../daemon/cli/setup/host/network.ts';
import { WrongArguments } from '../../../../daemon/cli/command.ts';
import { fileWith } from '../../../fakes/file-with.ts';

const at = (name: string, given: Partial<Interface> = {}): Interface => ({
  name,
  hasLink: true,
  address: '10.0.0.1',
  subnet: '10.0.0.0/24',
  isWayOut: false,
  peer: undefined,
  networkFile: undefined,
  ...given,
});
const wayOut = at('eno1', { address: '192.0.2.7', subnet: '192.0.2.0/24', isWayOut: true });
const networkWith = (...interfaces: readonly Interface[]): Network => ({
  interfaces,
  withoutAddress: ['eth9'],
  inUse: [0x0a_00_00_01],
});

interface Given {
  readonly options?: Readonly<Record<string, string>>;
  readonly network?: Network;
  readonly before?: AnswerParts['before'];
  readonly rivals?: readonly string[];
  readonly isYes?: boolean;
  readonly readLine?: ReadLine;
}

const answers = ({ options = {}, isYes = true, ...given }: Given) =>
  answersFrom({
    ask: askerOf({ given: options, takesProposals: isYes, readLine: given.readLine }),
    network: given.network ?? networkWith(wayOut, at('br0')),
    before: given.before ?? {},
    given: options,
    rivalsOn: async () => given.rivals ?? [],
  });

const refused = (given: Given, message: RegExp) =>
  assert.rejects(
    answers(given),
    (error: unknown) => error instanceof WrongArguments && message.test(error.message),
  );

test('the proposals: the interface that is not the way out, its free addresses, the API at the way out', async () => {
  const { password, ...found } = await answers({});
  assert.equal(password, undefined);
  assert.deepEqual(found, {
    interface: 'br0',
    address: '10.0.0.1',
    subnet: '10.0.0.0/24',
    dhcp: 'own',
    range: '10.0.0.128-10.0.0.254',
    admin: 'admin',
    apiAddress: '192.0.2.7',
    tls: undefined,
    images: [],
    keepsRamdisk: true,
    ramdisk: 'build',
  });
});

const six = at('br6', { address: '2001:db8::1', subnet: '2001:db8::/64' });

test('an interface with an IPv6 address only gets a range of IPv6, and no proxy', async () => {
  const network = networkWith(wayOut, six);
  const { address, subnet, dhcp, range } = await answers({ network });
  assert.deepEqual(
    [address, subnet, dhcp, range],
    ['2001:db8::1', '2001:db8::/64', 'own', '2001:db8::1000-2001:db8::1fff'],
  );
  await refused(
    { network, options: { dhcp: 'proxy' } },
    /--dhcp "proxy": br6 has an IPv6 address only, and DHCPv6 has no proxy\. Choose own or none/,
  );
  await refused({ network, options: { range: '10.0.0.5-10.0.0.9' } }, /10\.0\.0\.5 is not an IPv6 address/);
  assert.equal((await answers({ network, rivals: ['2001:db8::9'] })).dhcp, 'none');
  await refused(
    { network, rivals: ['2001:db8::9'], options: { dhcp: 'own' } },
    /Switch it off, or choose none/,
  );
});

test('of several interfaces that are as likely, the operator must name one', async () => {
  const network = networkWith(wayOut, at('br0'), at('br1'));
  await refused({ network }, /Give --interface/);
  assert.equal((await answers({ network, options: { interface: 'br1' } })).interface, 'br1');
});

test('an interface without a link is not proposed, and can be named', async () => {
  const network = networkWith(at('br0', { hasLink: false }), wayOut);
  assert.equal((await answers({ network })).interface, 'eno1');
  assert.equal((await answers({ network, options: { interface: 'br0' } })).interface, 'br0');
});

test('an interface that cannot be used is refused with what to do', async () => {
  await refused(
    { options: { interface: 'eth9' } },
    /"eth9": it has no address\. Give it one, such as: ip address add/,
  );
  await refused(
    { options: { interface: 'eth7' } },
    /expected one of eno1 \(192\.0\.2\.7\), br0 \(10\.0\.0\.1\)/,
  );
  await assert.rejects(answers({ network: networkWith() }), /No network interface has an address \(eth9\)/);
});

test('beside another DHCP server the daemon is proposed as its proxy, and refuses to be a second one', async () => {
  assert.equal((await answers({ rivals: ['10.0.0.3'] })).dhcp, 'proxy');
  await refused(
    { rivals: ['10.0.0.3'], options: { dhcp: 'own' } },
    /another DHCP server, 10\.0\.0\.3, answers on br0/,
  );
  assert.equal((await answers({ rivals: ['10.0.0.3'], options: { dhcp: 'none' } })).dhcp, 'none');
});

test('each answer of a wrong kind is refused with its option', async () => {
  const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ dhcp: 'both' }, /--dhcp "both": expected own, proxy or none/],
    [{ range: '10.0.1.1-10.0.1.9' }, /--range .*is not the address of a host in 10\.0\.0\.0\/24/],
    [{ range: '10.0.0.9' }, /--range .*is not FIRST-LAST/],
    [{ range: '10.0.0.1-10.0.0.9' }, /--range .*addresses of this range are in use/],
    [{ admin: 'a:b' }, /--admin .*without colons/],
    [{ 'keep-ramdisk': 'maybe' }, /--keep-ramdisk "maybe": expected yes or no/],
    [{ image: 'debian-31' }, /--image .*did you mean debian-13\?/],
    [
      { 'api-address': 'here' },
      /--api-address "here": expected an address of this host: 192\.0\.2\.7, 10\.0\.0\.1 or 127/,
    ],
    [{ 'tls-key': '/etc/key' }, /belong together/],
  ];
  for (const [options, message] of wrong) await refused({ options }, message);
});

test('the password comes from a file, without its line end, and never reaches the journal', async (t) => {
  const file = fileWith(t, 'password', 'correct horse\n');
  const found = await answers({ options: { 'password-file': file } });
  assert.equal(found.password, 'correct horse');
  assert.doesNotMatch(JSON.stringify(recorded(found)), /horse/);
  await refused(
    { options: { 'password-file': fileWith(t, 'password', 'short\n') } },
    /expected 8 to 72 bytes/,
  );
  await refused({ options: { 'password-file': fileWith(t, 'password', '\n') } }, /it is empty/);
  await assert.rejects(
    answers({ options: { 'password-file': '/no/such' } }),
    /--password-file \/no\/such cannot be read: .* Name a file that you may read/,
  );
});

test('the answers of the last run are proposed again', async () => {
  const options = {
    interface: 'br0',
    dhcp: 'own',
    range: '10.0.0.9-10.0.0.19',
    admin: 'ann',
    image: 'debian-13',
    'keep-ramdisk': 'no',
    ramdisk: 'none',
  };
  const first = await answers({ options });
  assert.deepEqual(await answers({ before: recorded(first) }), first);
});

test('a host that was set up before keeps booting each work its own ramdisk, unless the operator wants otherwise', async () => {
  const { 'keep-ramdisk': _, ...before } = recorded(await answers({}));
  assert.equal((await answers({ before })).keepsRamdisk, false);
  assert.equal((await answers({ before, options: { 'keep-ramdisk': 'yes' } })).keepsRamdisk, true);
});

test('without a terminal and without --yes, the option that answers is named', async () => {
  await refused(
    { isYes: false },
    /there is no terminal to ask on.*Give --interface \(proposed: br0\), or --yes/,
  );
});

test('on a terminal each question is asked, with its proposal, until the answer can be used', async () => {
  const asked: string[] = [];
  const typed = ['eth7', '', '', '10.0.0.50-10.0.0.60', 'ann', 'geheim', 'geheimnis', '', ''];
  const readLine: ReadLine = async (prompt) => {
    asked.push(prompt);
    return typed.shift() ?? assert.fail(prompt);
  };
  const found = await answers({ isYes: false, readLine });
  assert.deepEqual(
    [found.interface, found.dhcp, found.range, found.admin, found.password],
    ['br0', 'own', '10.0.0.50-10.0.0.60', 'ann', 'geheimnis'],
  );
  assert.match(asked[1] ?? '', /^ {2}expected one of .*\n.*\[br0\]: $/s);
  assert.match(asked[6] ?? '', /expected 8 to 72 bytes/);
});
