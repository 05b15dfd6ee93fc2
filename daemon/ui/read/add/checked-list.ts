// Checks the machines of a pasted list against each other and against those that are known. Machines with the address of a BMC become
// nodes; the others become expected machines, which zero touch recognises.
import { checkNodeName } from '../../../conductor/records/find-record.ts';
import { canonicalIp } from '../../../lib/network/ip.ts';
import { parseStationMac } from '../../../lib/network/mac.ts';
import { reasonOf } from '../../../model/faults.ts';
import { MAXIMUM_MINOR } from '../../../model/microversions.ts';
import { bmcHosts } from '../../../model/machine/bmc-hosts.ts';
import { MOST_MACHINES } from '../machines.ts';
import type { ReadServices } from '../services.ts';
import type { ListField, TypedRow } from './typed-list.ts';

export interface CheckedRow extends TypedRow {
  readonly becomes: 'node' | 'expected machine';
}

const ALL = { limit: MOST_MACHINES, sortKey: 'id', descending: false } as const;
const HIGHEST = { unit: 60, height: 20 } as const;
const HOST = /^(?:https?:\/\/)?[A-Za-z0-9.:[\]_-]+(?::\d+)?(?:\/[\w./~-]*)?$/;

/** `driver`: for machines that name none; empty: each must name its own. */
export function checkedList(
  services: ReadServices,
  rows: readonly TypedRow[],
  driver: string,
): readonly CheckedRow[] {
  const known = knownMachines(services);
  const seen: Seen = { name: new Map(), address: new Map(), serial_number: new Map(), mac: new Map() };
  const checks = { drivers: [...services.registry.hardwareTypes.keys()], driver, known, seen };
  return rows.map((row) => {
    const becomes = row.values.address === undefined ? 'expected machine' : 'node';
    if (row.problems.length > 0) return { ...row, becomes };
    const problems = [
      ...valueProblems(row),
      ...(becomes === 'node' ? nodeProblems(row, checks) : expectedProblems(row)),
      ...repetitions(row, checks),
    ];
    return { ...row, becomes, problems };
  });
}

interface Seen {
  /** The line in which each value was first. */
  readonly name: Map<string, number>;
  readonly address: Map<string, number>;
  readonly serial_number: Map<string, number>;
  readonly mac: Map<string, number>;
}

interface Checks {
  readonly drivers: readonly string[];
  readonly driver: string;
  readonly known: ReturnType<typeof knownMachines>;
  readonly seen: Seen;
}

function knownMachines({ db }: ReadServices) {
  const nodes = db.nodes.list(['name', 'uuid', 'driver_info'], [], ALL);
  const ports = db.ports.list(['address'], [], { ...ALL, limit: 8 * MOST_MACHINES });
  return {
    names: new Map(nodes.flatMap(({ name, uuid }) => (name === null ? [] : [[name.toLowerCase(), uuid]]))),
    addresses: new Map(
      nodes.flatMap(({ driver_info: info, name, uuid }) =>
        bmcHosts(info).map((host) => [canonicalIp(host) ?? host, name ?? uuid] as const),
      ),
    ),
    macs: new Set(ports.map(({ address }) => address)),
  };
}

export const macTexts = (text = ''): readonly string[] => text.split(/[\s;,]+/).filter((part) => part !== '');

/** Lists of makers have AABBCC000001, AA-BB-CC-00-00-01 and aabb.cc00.0001 too. */
export const stationMac = (text: string): string | undefined =>
  parseStationMac(text.replaceAll(/[.:-]/g, '').replaceAll(/(..)(?=.)/g, '$1:'));

function nameProblems(name: string | undefined): readonly string[] {
  try {
    if (name !== undefined) checkNodeName(name, MAXIMUM_MINOR);
    return [];
  } catch (error) {
    return [reasonOf(error)];
  }
}

function valueProblems({ values }: TypedRow): readonly string[] {
  const { name, bmc_mac: bmcMac, port_macs: ports } = values;
  return [
    ...nameProblems(name),
    ...(['unit', 'height'] as const).flatMap((field) => numberProblems(field, values[field])),
    ...[...macTexts(bmcMac), ...macTexts(ports)]
      .filter((mac) => stationMac(mac) === undefined)
      .map((mac) => `${JSON.stringify(mac)} is not the MAC address of a network card, as 52:54:00:12:34:56.`),
  ];
}

function numberProblems(field: 'unit' | 'height', text: string | undefined): readonly string[] {
  const number = Number(text ?? '1');
  return Number.isInteger(number) && number >= 1 && number <= HIGHEST[field]
    ? []
    : [`${field} ${JSON.stringify(text)}: expected a whole number from 1 to ${HIGHEST[field]}.`];
}

function nodeProblems({ values }: TypedRow, { drivers, driver }: Checks): readonly string[] {
  const { address = '', driver: own = driver, username, password } = values;
  return [
    ...(HOST.test(address)
      ? []
      : [
          `address ${JSON.stringify(address)}: expected an IP address, a host name or the URL of a Redfish service.`,
        ]),
    ...(drivers.includes(own)
      ? []
      : [
          own === ''
            ? `No driver: name one in the column driver, or choose one for all.`
            : `driver ${JSON.stringify(own)}: expected one of ${drivers.join(', ')}.`,
        ]),
    ...(username !== undefined && password === undefined ? ['The user has no password.'] : []),
  ];
}

const expectedProblems = ({ values }: TypedRow): readonly string[] =>
  (['serial_number', 'bmc_mac', 'port_macs'] as const).some((field) => values[field] !== undefined)
    ? (values.username === undefined) === (values.password === undefined)
      ? []
      : ['The user and the password are given together, or none of them.']
    : [
        'It has no address, so that it must be recognised when it is found: give its serial_number, bmc_mac or port_macs.',
      ];

/** What the list has twice, or a machine that is known already has. */
function repetitions({ line, values }: TypedRow, { known, seen }: Checks): readonly string[] {
  const address = values.address === undefined ? undefined : hostOf(values.address);
  const first = (kind: keyof Seen, value: string): readonly string[] => {
    const before = seen[kind].get(value);
    if (before === undefined) seen[kind].set(value, line);
    return before === undefined ? [] : [`${kind} ${value} is also in line ${before}.`];
  };
  const present = (field: ListField) => (values[field] === undefined ? [] : [values[field] ?? '']);
  const macs = [...macTexts(values.bmc_mac), ...macTexts(values.port_macs)].flatMap(
    (mac) => stationMac(mac) ?? [],
  );
  return [
    ...present('name').flatMap((name) => [
      ...first('name', name.toLowerCase()),
      ...(known.names.has(name.toLowerCase()) ? [`A node has the name ${name} already.`] : []),
    ]),
    ...(address === undefined
      ? []
      : [
          ...first('address', address),
          ...(known.addresses.has(address)
            ? [`The BMC at ${address} belongs to node ${known.addresses.get(address)} already.`]
            : []),
        ]),
    ...present('serial_number').flatMap((serial) => first('serial_number', serial)),
    ...[...new Set(macs)].flatMap((mac) => [
      ...first('mac', mac),
      ...(known.macs.has(mac) ? [`A port has the MAC address ${mac} already.`] : []),
    ]),
  ];
}

function hostOf(address: string): string {
  const [host = address] = bmcHosts({ redfish_address: address });
  return canonicalIp(host) ?? host;
}
