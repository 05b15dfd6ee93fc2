// The `local-link-connection` hook: sets ports' `switch_id`, `port_id` and `switch_info` from LLDP.
import { defineHook, type JsonObject } from '#plugin-api';
import { factsOf, forEachTlv, heardOn } from './lldp.ts';
import { isChassisMac } from './lldp-basic.ts';
import type { Tlv } from './lldp-octets.ts';
import { interfacesIn, portsByMac } from '../interfaces/reported-interface.ts';

export const localLinkConnection = defineHook({
  dependencies: ['validate-interfaces'],
  call(draft) {
    const ports = portsByMac(draft);
    const plugged = interfacesIn(draft, 'all_interfaces').filter(([, { mac_address: mac }]) =>
      ports.has(mac),
    );
    for (const heard of heardOn(draft, plugged)) {
      const port = ports.get(heard.reported.mac_address);
      if (port === undefined) continue;
      const found: JsonObject[] = [];
      forEachTlv(draft, heard, (tlv) => found.push(connectionOf(tlv)));
      // values set by an operator or an earlier inspection take precedence
      port.local_link_connection = Object.assign({}, ...found, port.local_link_connection) as JsonObject;
    }
  },
});

const KEYS = new Map([
  ['switch_chassis_id', 'switch_id'],
  ['switch_port_id', 'port_id'],
  ['switch_system_name', 'switch_info'],
]);

/** Returns the part of a connection that the TLV contains. A chassis id counts only when it is a MAC address. */
function connectionOf(tlv: Tlv): JsonObject {
  const [fact] = factsOf(tlv);
  const key = KEYS.get(fact?.key ?? '');
  if (fact === undefined || key === undefined || fact.value === '') return {};
  return key === 'switch_id' && !isChassisMac(tlv) ? {} : { [key]: fact.value };
}
