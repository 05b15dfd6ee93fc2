// What people change of a node on its page: how each setting is read from the record, and which request changes it.
import type { ApiCall } from '../../http/pages.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { withCapability, parseCapabilities } from '../../model/machine/capabilities.ts';

export const settingNames = [
  ...(['name', 'description', 'resource_class', 'owner', 'rack', 'unit', 'traits'] as const),
  ...([
    'protected',
    'protected_reason',
    'automated_clean',
    'boot_mode',
    'console_interface',
    'root_device',
  ] as const),
] as const;
export type SettingName = (typeof settingNames)[number];

/** The values as a form has them: text; for a flag `true` or an empty text. */
export type SettingValues = Readonly<Record<SettingName, string>>;

/** A request, or what is wrong with the value. */
export type SettingChange = { readonly request: ApiCall } | { readonly wrong: string };

/** Returns the settings of a node as the API shows it. */
export function settingsOf(record: JsonObject): SettingValues {
  const { extra, properties, traits, automated_clean: cleaned } = record;
  const { rack, unit } = objectIn(extra);
  const { capabilities, root_device: root } = objectIn(properties);
  return {
    name: textIn(record['name']),
    description: textIn(record['description']),
    resource_class: textIn(record['resource_class']),
    owner: textIn(record['owner']),
    rack: textIn(rack),
    unit: typeof unit === 'number' ? String(unit) : textIn(unit),
    traits: Array.isArray(traits) ? traits.map(String).join(' ') : '',
    protected: record['protected'] === true ? 'true' : '',
    protected_reason: textIn(record['protected_reason']),
    automated_clean: typeof cleaned === 'boolean' ? String(cleaned) : '',
    boot_mode: parseCapabilities(capabilities ?? '')?.get('boot_mode') ?? '',
    console_interface: textIn(record['console_interface']),
    root_device: root === undefined || root === null ? '' : JSON.stringify(root),
  };
}

const objectIn = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

interface Changed {
  readonly uuid: string;
  readonly record: JsonObject;
  /** What is to be; the value of the setting itself differs from what it was. */
  readonly wanted: SettingValues;
}

/** Returns what changes the setting. */
export const settingChange = (name: SettingName, changed: Changed): SettingChange => CHANGES[name](changed);

const patch = ({ uuid }: Changed, path: string, value: Json | undefined): SettingChange => ({
  request: {
    method: 'PATCH',
    path: `/v1/nodes/${uuid}`,
    body: [value === undefined ? { op: 'remove', path } : { op: 'add', path, value }],
  },
});

/** An empty text removes the field. */
const text =
  (name: SettingName, path = `/${name}`) =>
  (changed: Changed): SettingChange => {
    const value = changed.wanted[name].trim();
    return patch(changed, path, value === '' ? undefined : value);
  };

const CHANGES: Readonly<Record<SettingName, (changed: Changed) => SettingChange>> = {
  name: text('name'),
  description: text('description'),
  resource_class: text('resource_class'),
  owner: text('owner'),
  rack: text('rack', '/extra/rack'),
  unit(changed) {
    const value = changed.wanted.unit.trim();
    if (value === '') return patch(changed, '/extra/unit', undefined);
    if (!/^\d{1,3}$/.test(value))
      return { wrong: `${value} is no unit of a rack; give a whole number such as 12` };
    return patch(changed, '/extra/unit', Number(value));
  },
  traits: ({ uuid, wanted }) => ({
    request: {
      method: 'PUT',
      path: `/v1/nodes/${uuid}/traits`,
      body: { traits: wanted.traits.split(/[\s,]+/).filter((trait) => trait !== '') },
    },
  }),
  protected: (changed) => patch(changed, '/protected', changed.wanted.protected === 'true'),
  protected_reason: text('protected_reason'),
  automated_clean(changed) {
    const value = changed.wanted.automated_clean;
    return patch(changed, '/automated_clean', value === '' ? undefined : value === 'true');
  },
  boot_mode(changed) {
    const { capabilities = '' } = objectIn(changed.record['properties']);
    if (typeof capabilities !== 'string')
      return { wrong: 'properties/capabilities is no text such as boot_mode:uefi; change it by the API' };
    const mode = changed.wanted.boot_mode;
    const value = withCapability(capabilities, 'boot_mode', mode === '' ? undefined : mode);
    return patch(changed, '/properties/capabilities', value === '' ? undefined : value);
  },
  console_interface: text('console_interface'),
  root_device(changed) {
    const value = changed.wanted.root_device.trim();
    if (value === '') return patch(changed, '/properties/root_device', undefined);
    try {
      const hints = JSON.parse(value) as Json;
      if (isJsonObject(hints)) return patch(changed, '/properties/root_device', hints);
    } catch {
      // said below
    }
    return { wrong: 'expected hints as a JSON object, such as {"serial": "S4YNNX0R12"}' };
  },
};
