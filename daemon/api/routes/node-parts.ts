// /v1/nodes/{node}/bios and firmware: what was last read from the machine.
import { nodeOf } from '../../conductor/records/find-record.ts';
import {
  type BiosSetting,
  shownBiosSettingFields,
  unknownRegistryEntry,
} from '../../model/records/bios-setting.ts';
import { fault } from '../../model/faults.ts';
import { shownFirmwareFields } from '../../model/records/firmware-component.ts';
import { maskSecrets } from '../../model/secrets.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import {
  fieldSchemas,
  linkedSchema,
  linkPair,
  listSchema,
  mapSchema,
  objectSchema,
  wholeSchema,
} from '../../http/schema-parts.ts';
import { fieldsUpTo, listedFields, namedFields, shownRecord, type View } from '../../http/record-view.ts';
import { only } from '../../model/records/fields.ts';

const BIOS = '/v1/nodes/:node/bios';
const REGISTRY_SINCE = 74;

const biosParameters = {
  detail: { kind: 'flag', since: REGISTRY_SINCE, tooOld: 400 },
  fields: { kind: 'list', since: REGISTRY_SINCE, tooOld: 400 },
} as const satisfies Parameters;
const firmwareParameters = { fields: { kind: 'list' } } as const satisfies Parameters;

const settingSchema = linkedSchema('BiosSetting', fieldSchemas(shownBiosSettingFields));
const firmwareSchema = objectSchema(fieldSchemas(shownFirmwareFields), [], 'FirmwareComponent');

export const nodePartRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: BIOS,
    since: 40,
    query: biosParameters,
    answers: { 200: wholeSchema({ bios: listSchema(settingSchema) }) },
    handler: listBios,
  }),
  route({
    method: 'GET',
    path: `${BIOS}/:setting`,
    since: 40,
    answers: { 200: mapSchema(settingSchema) },
    handler: showBios,
  }),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/firmware',
    since: 86,
    query: firmwareParameters,
    answers: { 200: wholeSchema({ firmware: listSchema(firmwareSchema) }) },
    handler: listFirmware,
  }),
];

/** These fields are shown whichever fields are requested. */
const TIMES = ['created_at', 'updated_at'];

const biosView: View<BiosSetting> = {
  fields: shownBiosSettingFields,
  summary: ['name', 'value'],
  shown: {
    ...Object.fromEntries(
      Object.keys(unknownRegistryEntry).map((name) => [name, ({ registry }: BiosSetting) => registry[name]]),
    ),
    value: ({ name, value }) => maskSecrets({ name, value }).value,
  },
};

function listBios(request: ApiRequest<typeof biosParameters>): Reply {
  const names = withTimes(listedFields(biosView, request));
  const settings = request.services.db.biosSettings.ofNode(nodeOf(request).uuid);
  return { status: 200, body: { bios: settings.map((setting) => shownSetting(setting, names, request)) } };
}

function showBios(request: ApiRequest): Reply {
  const { services, parameters } = request;
  const { uuid } = nodeOf(request);
  const name = parameters['setting'] ?? '';
  const setting = services.db.biosSettings.ofNode(uuid).find((one) => one.name === name);
  if (setting === undefined) throw fault('BiosSettingNotFound', { node: uuid, setting: name });
  return { status: 200, body: { [name]: shownSetting(setting, undefined, request) } };
}

const shownSetting = (setting: BiosSetting, names: readonly string[] | undefined, request: ApiRequest) => ({
  ...shownRecord(biosView, setting, request, names),
  links: linkPair(request.baseUrl, `nodes/${setting.node_uuid}/bios/${encodeURIComponent(setting.name)}`),
});

function listFirmware(request: ApiRequest<typeof firmwareParameters>): Reply {
  // a field of a later version is refused like an unknown field
  const fields = only(shownFirmwareFields, fieldsUpTo(shownFirmwareFields, request.minor));
  const names = withTimes(namedFields({ fields }, request));
  const components = request.services.db.firmwareComponents.ofNode(nodeOf(request).uuid);
  const firmware = components.map((component) => shownRecord({ fields }, component, request, names));
  return { status: 200, body: { firmware } };
}

const withTimes = (names: readonly string[] | undefined) => names && [...new Set([...names, ...TIMES])];
