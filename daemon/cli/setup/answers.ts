// What the operator wants: questions, whose proposed answers come from the host, or from the last run.
import { isIpv6Subnet, readAnyDhcpSubnet } from '../../config/dhcp-subnet.ts';
import { nearestName } from '../../config/nearest-name.ts';
import { knownImages } from '../../model/known-images.ts';
import { WrongArguments } from '../command.ts';
import { readGivenFile } from '../given-file.ts';
import type { AskOperator } from './ask.ts';
import { freeRange, type Interface, type Network } from './host/network.ts';
import type { GivenAnswers } from './journal.ts';

export type DhcpMode = 'own' | 'proxy' | 'none';

export interface SetupAnswers {
  readonly interface: string;
  /** Of the host, on the interface. */
  readonly address: string;
  readonly subnet: string;
  readonly dhcp: DhcpMode;
  /** The addresses that machines get, with `dhcp: own`; otherwise empty. */
  readonly range: string;
  readonly admin: string;
  /** undefined: a password is made, unless the user has one. */
  readonly password: string | undefined;
  readonly apiAddress: string;
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
  readonly images: readonly string[];
  /** Whether the ramdisk runs on from inspection through cleaning to deployment. */
  readonly keepsRamdisk: boolean;
  /** `build`, `none`, or the folder of an image that agent-image has built. */
  readonly ramdisk: string;
}

export interface AnswerParts {
  readonly ask: AskOperator;
  readonly network: Network;
  /** The answers of the last run. */
  readonly before: GivenAnswers;
  /** The values of options. */
  readonly given: Readonly<Record<string, string | undefined>>;
  /** Resolves with the DHCP servers that answer on the interface. */
  readonly rivalsOn: (at: Interface) => Promise<readonly string[]>;
}

export async function answersFrom(parts: AnswerParts): Promise<SetupAnswers> {
  const { ask, network, before, given } = parts;
  const chosen = await chosenInterface(parts);
  const dhcp = await chosenDhcp(parts, chosen);
  const range = dhcp === 'own' ? await chosenRange(parts, chosen) : '';
  const admin = await ask({
    option: 'admin',
    text: 'Who may log in first (the name of a user)',
    proposed: before['admin'] ?? 'admin',
    wrong: (name) =>
      /^[^:\s\p{Cc}]{1,64}$/u.test(name) ? undefined : 'expected a name without colons and blanks',
  });
  const password = await chosenPassword(parts, admin);
  const images = await ask({
    option: 'image',
    text: `Systems to offer for deployment, separated by commas (${[...knownImages.keys()].join(', ')}; none)`,
    proposed: before['image'] ?? 'none',
    wrong: (text) =>
      namesIn(text)
        .map(wrongSystem)
        .find((problem) => problem !== undefined),
  });
  const keepsRamdisk = await ask({
    option: 'keep-ramdisk',
    text: 'Keep machines in the ramdisk from inspection through cleaning to deployment, so that they boot less often; without work they are switched off after half an hour (yes or no)',
    // a host that was set up before this question stays as it is
    proposed: before['keep-ramdisk'] ?? (before['admin'] === undefined ? 'yes' : 'no'),
    wrong: (text) => (['yes', 'no'].includes(text) ? undefined : 'expected yes or no'),
  });
  return {
    interface: chosen.name,
    address: chosen.address,
    subnet: chosen.subnet,
    dhcp,
    range,
    admin,
    password,
    apiAddress: apiAddressIn(parts, network, chosen),
    tls: ownCertificate({ ...before, ...given }),
    images: namesIn(images),
    keepsRamdisk: keepsRamdisk === 'yes',
    ramdisk: given['ramdisk'] ?? before['ramdisk'] ?? 'build',
  };
}

/** The answers for the journal; it never gets a password. */
export const recorded = ({ tls, images, ...answers }: SetupAnswers): GivenAnswers => ({
  interface: answers.interface,
  dhcp: answers.dhcp,
  ...(answers.range !== '' && { range: answers.range }),
  admin: answers.admin,
  'api-address': answers.apiAddress,
  ...(tls && { 'tls-certificate': tls.certificate, 'tls-key': tls.key }),
  image: images.join(',') || 'none',
  'keep-ramdisk': answers.keepsRamdisk ? 'yes' : 'no',
  ramdisk: answers.ramdisk,
});

async function chosenInterface({ ask, network, before }: AnswerParts): Promise<Interface> {
  const { interfaces, withoutAddress } = network;
  const described = interfaces.map(
    ({ name, address, hasLink, peer }) =>
      `${name} (${address}${hasLink ? '' : ', no link'}${peer === undefined ? '' : `, ${peer}`})`,
  );
  if (interfaces.length === 0)
    throw new Error(
      `No network interface has an address (${withoutAddress.join(', ') || 'there is no interface'}). Give the interface at which machines boot an address, such as: ip address add 10.0.0.1/24 dev ${withoutAddress[0] ?? 'eth1'}`,
    );
  // a host that routes elsewhere usually has its machines on another interface
  const linked = interfaces.filter(({ hasLink }) => hasLink);
  const inside = linked.filter(({ isWayOut }) => !isWayOut);
  const likely = inside.length > 0 ? inside : linked;
  const name = await ask({
    option: 'interface',
    text: `Interface at which machines boot: ${described.join(', ')}`,
    proposed: before['interface'] ?? (likely.length === 1 ? likely[0]?.name : undefined),
    wrong: (text) => {
      if (interfaces.some((each) => each.name === text)) return undefined;
      return withoutAddress.includes(text)
        ? `it has no address. Give it one, such as: ip address add 10.0.0.1/24 dev ${text}`
        : `expected one of ${described.join(', ')}`;
    },
  });
  const found = interfaces.find((each) => each.name === name);
  if (found === undefined) throw new WrongArguments(`--interface ${name}: this host has no such interface`);
  return found;
}

async function chosenDhcp({ ask, before, given, rivalsOn }: AnswerParts, at: Interface): Promise<DhcpMode> {
  if (given['dhcp'] === 'none') return 'none';
  const { name } = at;
  const rivals = await rivalsOn(at);
  const isAlone = rivals.length === 0;
  const isIpv6 = isIpv6Subnet(at.subnet);
  const beside = isIpv6 ? 'none' : 'proxy';
  const answer = await ask({
    option: 'dhcp',
    text: `Who gives addresses on ${name}: own (this daemon), ${isIpv6 ? '' : 'proxy (a server that is there) '}or none (machines boot from virtual media only)${isAlone ? '' : `; ${rivals.join(', ')} answers there`}`,
    proposed: isAlone ? (before['dhcp'] ?? 'own') : beside,
    wrong: (text) => {
      if (!['own', 'proxy', 'none'].includes(text)) return 'expected own, proxy or none';
      if (text === 'proxy' && isIpv6)
        return `${name} has an IPv6 address only, and DHCPv6 has no proxy. Choose own or none`;
      return text === 'own' && !isAlone
        ? `another DHCP server, ${rivals.join(', ')}, answers on ${name}. Switch it off, or choose ${beside}`
        : undefined;
    },
  });
  return answer as DhcpMode;
}

async function chosenRange({ ask, network, before }: AnswerParts, { subnet }: Interface): Promise<string> {
  return ask({
    option: 'range',
    text: `Addresses for machines, FIRST-LAST in ${subnet}`,
    proposed: before['range'] ?? freeRange(subnet, network.inUse),
    wrong(text) {
      const reading = readAnyDhcpSubnet(`${subnet} range=${text}`);
      if (reading.kind === 'unreadable') return reading.reason;
      const [range] = reading.value.ranges;
      const own = network.inUse.filter(
        (each) => range !== undefined && each >= range.first && each <= range.last,
      );
      return text === before['range'] || own.length === 0
        ? undefined
        : 'addresses of this range are in use; choose another one';
    },
  });
}

async function chosenPassword(
  { ask, given, before }: AnswerParts,
  admin: string,
): Promise<string | undefined> {
  const file = given['password-file'];
  if (file !== undefined) {
    const password = readGivenFile('--password-file', file)
      .toString()
      .replace(/\r?\n$/, '');
    const problem = password === '' ? 'it is empty' : wrongPassword(password);
    if (problem !== undefined) throw new WrongArguments(`--password-file ${file}: ${problem}`);
    return password;
  }
  // the user has a password since an earlier run
  if (before['admin'] === admin) return undefined;
  const text = `Password of ${admin} (empty: one is made and shown once)`;
  return (
    (await ask({ option: 'password-file', text, proposed: '', wrong: wrongPassword, isSecret: true })) ||
    undefined
  );
}

/** An empty one is made by setup; bcrypt ignores what is beyond 72 bytes. */
const wrongPassword = (text: string): string | undefined =>
  text === '' || (text.length >= 8 && Buffer.byteLength(text) <= 72 && !/\p{Cc}/u.test(text))
    ? undefined
    : 'expected 8 to 72 bytes, without control characters';

const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'none');

function wrongSystem(name: string): string | undefined {
  if (knownImages.has(name)) return undefined;
  const near = nearestName(name, knownImages.keys());
  return `${name} is no known system${near === undefined ? '' : `; did you mean ${near}?`} Expected some of ${[...knownImages.keys()].join(', ')}, or none`;
}

/** People reach the API where the host reaches others, and not on the network of the machines, where possible. */
function apiAddressIn({ given, before }: AnswerParts, { interfaces }: Network, chosen: Interface): string {
  const address = given['api-address'];
  if (address === undefined)
    return before['api-address'] ?? interfaces.find(({ isWayOut }) => isWayOut)?.address ?? chosen.address;
  const own = interfaces.map((each) => each.address);
  if (own.includes(address) || address === LOOPBACK) return address;
  throw new WrongArguments(
    `--api-address ${JSON.stringify(address)}: expected an address of this host: ${own.join(', ')} or ${LOOPBACK}`,
  );
}

const LOOPBACK = '127.0.0.1';

function ownCertificate(given: Readonly<Record<string, string | undefined>>): SetupAnswers['tls'] {
  const { 'tls-certificate': certificate, 'tls-key': key } = given;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate === undefined && key === undefined) return undefined;
  throw new WrongArguments('--tls-certificate and --tls-key belong together: give both, or none');
}
