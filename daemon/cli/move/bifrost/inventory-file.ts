// Reads Bifrost's inventory files: JSON or YAML with the variables of each host, and the CSV of old releases.
import { givenValue } from '../../given-file.ts';
import { parseMac } from '../../../lib/network/mac.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { type CsvRow, csvRows } from '../../../lib/files/csv-rows.ts';

/** Returns the variables of each host, by the host's name in the file. `file`: its path, for messages. */
export function hostsIn(file: string, text: string): ReadonlyMap<string, Json> {
  if (isCsv(text)) return hostsOfRows(file, csvRows(file, text));
  const content = givenValue(file, text);
  if (isJsonObject(content)) return new Map(Object.entries(content));
  throw new Error(
    `${file} is not an inventory of Bifrost: expected JSON or YAML with the variables of each host under its name, or CSV lines that begin with a MAC address.`,
  );
}

function hostsOfRows(file: string, rows: readonly CsvRow[]): ReadonlyMap<string, Json> {
  const hosts = rows.map(hostOfRow);
  const byName = new Map(hosts);
  const [repeated] = hosts.find((host) => byName.get(host[0]) !== host[1]) ?? [];
  if (repeated === undefined) return byName;
  throw new Error(`${file} names the machine ${repeated} in more than one line: expected one line for each.`);
}

/** CSV files have no header: the first field is the MAC address of the first machine. */
const isCsv = (text: string): boolean => {
  const start = text.trimStart();
  return parseMac(start.slice(0, 17)) !== undefined && start.slice(17).trimStart().startsWith(',');
};

/** The columns, in order. `role` and `type` have no meaning any more. */
const COLUMNS = [
  'mac',
  'username',
  'password',
  'address',
  'cpus',
  'ram',
  'disk_size',
  'role',
  'type',
  'uuid',
  'name',
  'ipv4_address',
  'ipmi_target_channel',
  'ipmi_target_address',
  'ipmi_transit_channel',
  'ipmi_transit_address',
  'driver',
] as const;

/** Like Bifrost, gives a machine the driver ipmi if the name of its driver contains ipmi, or if it has no driver. */
function hostOfRow({ line, fields }: CsvRow): readonly [string, JsonObject] {
  const given = Object.fromEntries(
    COLUMNS.map((column, at) => [column, fields[at] ?? ''] as const).filter(([, value]) => value !== ''),
  ) as Partial<Record<(typeof COLUMNS)[number], string>>;
  const { mac, cpus, ram, disk_size, uuid, name, ipv4_address, driver = 'ipmi' } = given;
  const isIpmi = driver.includes('ipmi');
  const host = {
    uuid,
    name,
    ipv4_address,
    driver: isIpmi ? 'ipmi' : driver,
    nics: mac === undefined ? [] : [{ mac }],
    driver_info: isIpmi ? ipmiOf(given) : {},
    properties: withoutAbsent({ cpu_arch: 'x86_64', cpus, ram, disk_size }),
  };
  return [name ?? uuid ?? `line ${line}`, withoutAbsent(host)];
}

function ipmiOf(given: Partial<Record<(typeof COLUMNS)[number], string>>): JsonObject {
  const { username, password, address, ...rest } = given;
  const bridged = rest.ipmi_target_channel !== undefined && rest.ipmi_target_address !== undefined;
  const twice = rest.ipmi_transit_channel !== undefined && rest.ipmi_transit_address !== undefined;
  return withoutAbsent({
    ipmi_address: address,
    ipmi_username: username,
    ipmi_password: password,
    ipmi_target_channel: rest.ipmi_target_channel,
    ipmi_target_address: rest.ipmi_target_address,
    ipmi_transit_channel: rest.ipmi_transit_channel,
    ipmi_transit_address: rest.ipmi_transit_address,
    ipmi_bridging: twice ? 'dual' : bridged ? 'single' : undefined,
  });
}

const withoutAbsent = (object: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
