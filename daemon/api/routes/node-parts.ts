// /v1/nodes/{node}/bios and firmware: what was last read from the machine.
import { findNode } from '../../conductor/records/find/find-node.ts';
import { type BiosSetting, shownBiosSettingFields } from '../../model/records/bios-setting.ts';
import { fault } from '../../model/faults.ts';
import { shownFirmwareFields } from '../../model/records/firmware-component.ts';
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
import { fieldsUpTo, refuseFieldsWithDetail } from '../../http/record-view.ts';

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

const BIOS_SUMMARY = ['name', 'value'];
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'links']);

function listBios(request: ApiRequest<typeof biosParameters>): Reply {
  const { fields, detail } = request.query;
  refuseFieldsWithDetail(request.query);
  const all = fieldsUpTo(shownBiosSettingFields, request.minor);
  const names = detail === true ? all : (fields ?? BIOS_SUMMARY);
  refuseUnknown(names, all);
  const settings = request.services.db.biosSettings.ofNode(request.named('node', findNode).uuid);
  return { status: 200, body: { bios: settings.map((setting) => biosView(setting, names, request)) } };
}

function showBios(request: ApiRequest): Reply {
  const { services, parameters, minor } = request;
  const { uuid } = request.named('node', findNode);
  const name = parameters['setting'] ?? '';
  const setting = services.db.biosSettings.ofNode(uuid).find((one) => one.name === name);
  if (setting === undefined) throw fault('BiosSettingNotFound', { node: uuid, setting: name });
  const names = fieldsUpTo(shownBiosSettingFields, minor);
  return { status: 200, body: { [name]: biosView(setting, names, request) } };
}

function biosView(setting: BiosSetting, names: readonly string[], { baseUrl }: ApiRequest): object {
  const { node_uuid: node, registry, ...rest } = setting;
  const links = linkPair(baseUrl, `nodes/${node}/bios/${encodeURIComponent(setting.name)}`);
  return only({ ...rest, ...registry, links }, names);
}

function listFirmware(request: ApiRequest<typeof firmwareParameters>): Reply {
  const visible = fieldsUpTo(shownFirmwareFields, request.minor);
  const names = request.query.fields ?? visible;
  refuseUnknown(names, visible);
  const components = request.services.db.firmwareComponents.ofNode(request.named('node', findNode).uuid);
  return { status: 200, body: { firmware: components.map((component) => only(component, names)) } };
}

function refuseUnknown(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name) && !ALWAYS_SHOWN.has(name));
  if (unknown !== undefined) throw fault('InvalidField', { field: unknown });
}

function only(part: object, names: readonly string[]): object {
  const shown = Object.entries(part).filter(([name]) => names.includes(name) || ALWAYS_SHOWN.has(name));
  return Object.fromEntries(shown);
}
