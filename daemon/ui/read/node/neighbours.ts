// Reads the network cards of a machine, and the switch ports at the other ends of their cables: what LLDP told the last inspection,
// else what the ports of the node say.
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { visibleLine } from '../../../lib/plain-text.ts';
import type { Port } from '../../../model/records/port.ts';

export interface CardShown {
  readonly name: string;
  readonly mac: string;
  readonly product: string;
  readonly mbps: number | null;
  /** Null: not known. */
  readonly hasCarrier: boolean | null;
  readonly addresses: readonly string[];
  readonly neighbour: SwitchPort | undefined;
}

export interface SwitchPort {
  readonly switch: string;
  readonly port: string;
  /** What else the switch says of the port, such as its VLAN. */
  readonly more: string;
}

const LONGEST = 100;
/** More cards than any machine has. */
const MOST_CARDS = 64;

export function cardsShown(
  inventory: JsonObject | undefined,
  pluginData: JsonObject | undefined,
  ports: readonly Pick<Port, 'address' | 'local_link_connection'>[],
): readonly CardShown[] {
  const heard = pluginData?.['parsed_lldp'];
  const byMac = new Map(ports.map((port) => [port.address, port]));
  const seen = objectsIn(inventory?.['interfaces']).map((card): CardShown => {
    const [name, mac] = [textIn(card['name']), textIn(card['mac_address']).toLowerCase()];
    const lldp = isJsonObject(heard) && Object.hasOwn(heard, name) ? heard[name] : undefined;
    const { speed_mbps: speed, has_carrier: carrier } = card;
    return {
      name,
      mac,
      product: [card['vendor'], card['product']].map(textIn).join(' ').trim(),
      mbps: typeof speed === 'number' && speed > 0 ? speed : null,
      hasCarrier: typeof carrier === 'boolean' ? carrier : null,
      addresses: [card['ipv4_address'], card['ipv6_address']].map(textIn).filter((address) => address !== ''),
      neighbour: neighbourIn(lldp) ?? linkOf(byMac.get(mac)),
    };
  });
  const known = new Set(seen.map(({ mac }) => mac));
  const others = ports.filter(({ address }) => !known.has(address)).map(portShown);
  return [...seen, ...others].slice(0, MOST_CARDS);
}

const portShown = (port: Pick<Port, 'address' | 'local_link_connection'>): CardShown => ({
  name: '',
  mac: port.address,
  product: '',
  mbps: null,
  hasCarrier: null,
  addresses: [],
  neighbour: linkOf(port),
});

function neighbourIn(lldp: Json | undefined): SwitchPort | undefined {
  if (!isJsonObject(lldp)) return undefined;
  const vlan = lldp['switch_port_untagged_vlan_id'];
  const port = textIn(lldp['switch_port_id']);
  const description = textIn(lldp['switch_port_description']);
  const more = [description === port ? '' : description, typeof vlan === 'number' ? `VLAN ${vlan}` : ''];
  return named(textIn(lldp['switch_system_name']) || textIn(lldp['switch_chassis_id']), port, more);
}

function linkOf(port: Pick<Port, 'local_link_connection'> | undefined): SwitchPort | undefined {
  const { switch_info: name, switch_id: id, port_id: number } = port?.local_link_connection ?? {};
  return named(textIn(name) || textIn(id), textIn(number), []);
}

const named = (name: string, port: string, more: readonly string[]): SwitchPort | undefined =>
  name === '' && port === ''
    ? undefined
    : { switch: name, port, more: more.filter((each) => each !== '').join(', ') };

const objectsIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.slice(0, MOST_CARDS).filter(isJsonObject) : [];

const textIn = (value: Json | undefined): string =>
  typeof value === 'string' ? visibleLine(value.slice(0, LONGEST)) : '';
