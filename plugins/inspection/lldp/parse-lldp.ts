// The `parse-lldp` hook: stores in plugin data `parsed_lldp`, by network interface, what switches announce.
import { defineHook, type InspectionDraft, isJsonObject, type Json, type JsonObject } from '#plugin-api';
import { factsOf, forEachTlv, type Heard, heardOn } from './lldp.ts';

/** At most this many network interfaces are read: far more than any machine has. */
const MAX_INTERFACES = 64;

export const parseLldp = defineHook({
  call(draft) {
    const interfaces = namedInterfaces(draft);
    if (interfaces.length > MAX_INTERFACES) {
      draft.warn(
        `${interfaces.length} network interfaces: reading LLDP only of the first ${MAX_INTERFACES}.`,
      );
    }
    const parsed = heardOn(draft, interfaces.slice(0, MAX_INTERFACES))
      .map((heard): [string, JsonObject] => [heard.name, parsedFrom(draft, heard)])
      .filter(([, facts]) => Object.keys(facts).length > 0);
    if (parsed.length === 0) return;
    const { parsed_lldp: earlier } = draft.pluginData;
    const known = isJsonObject(earlier) ? Object.entries(earlier) : [];
    draft.pluginData['parsed_lldp'] = Object.fromEntries([...known, ...parsed]);
  },
});

function namedInterfaces({ inventory }: InspectionDraft): readonly (readonly [string, JsonObject])[] {
  const { interfaces } = inventory;
  const all = Array.isArray(interfaces) ? (interfaces as readonly Json[]) : [];
  return all.flatMap((one): [string, JsonObject][] =>
    isJsonObject(one) && typeof one['name'] === 'string' ? [[one['name'], one]] : [],
  );
}

/** Returns facts by key. Where a key may have only one value, the first is used. */
function parsedFrom(draft: InspectionDraft, heard: Heard<JsonObject>): JsonObject {
  const single = new Map<string, Json>();
  const lists = new Map<string, Json[]>();
  forEachTlv(draft, heard, (tlv) => {
    for (const { key, value, listed } of factsOf(tlv)) {
      if (listed === true) lists.set(key, [...(lists.get(key) ?? []), value]);
      else if (!single.has(key)) single.set(key, value);
    }
  });
  return Object.fromEntries<Json>([...single, ...lists]);
}
