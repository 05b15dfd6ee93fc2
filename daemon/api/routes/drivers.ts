// /v1/drivers: the enabled hardware types and classic drivers, their interfaces and the driver_info fields they read.
import { describeDriver, type DriverDescription, listDrivers } from '../../conductor/drivers/drivers.ts';
import { typed } from '../../lib/json/typed-schema.ts';
import { field, type FieldTable, schema } from '../../model/records/fields.ts';
import { interfaceTypes, type InterfaceType } from '../../model/machine/interface-types.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import {
  fieldSchemas,
  type Link,
  linkedSchema,
  linkPair,
  linksSchema,
  listSchema,
  mapSchema,
  textSchema,
  wholeSchema,
} from '../../http/schema-parts.ts';
import { listedFields, namedFields, shownRecord, type View } from '../../http/record-view.ts';

const TYPE_SINCE = 30;

const listParameters = {
  type: { kind: 'text', since: TYPE_SINCE, values: ['classic', 'dynamic'] },
  detail: { kind: 'flag', since: TYPE_SINCE },
  fields: { kind: 'list', since: 77 },
} as const satisfies Parameters;

/** The interface types that API versions after 1.30 added to drivers. The other nine are shown since 1.30. */
const INTERFACE_SINCE: Readonly<Partial<Record<InterfaceType, number>>> = {
  storage: 33,
  rescue: 38,
  bios: 40,
  firmware: 86,
};

/** The fields that a list shows of each driver, each with its first API version. Links are always shown. */
const summaryFields = {
  name: field(schema.text(), { since: 1, initial: '' }),
  hosts: field(schema.texts(), { since: 1, initial: [] }),
  properties: field(typed<readonly Link[]>(linksSchema), { since: 14, initial: [] }),
  type: field(schema.text({ enum: ['classic', 'dynamic'] }), { since: TYPE_SINCE, initial: '' }),
};
/** Null for a classic driver. */
const textsOrNull = typed<readonly string[] | null>({ type: ['array', 'null'], items: { type: 'string' } });
const driverFields: FieldTable = {
  ...summaryFields,
  ...Object.fromEntries(
    interfaceTypes.flatMap((type) => {
      const since = INTERFACE_SINCE[type] ?? TYPE_SINCE;
      return [
        [`default_${type}_interface`, field(schema.textOrNull(), { since, initial: null })],
        [`enabled_${type}_interfaces`, field(textsOrNull, { since, initial: null })],
      ];
    }),
  ),
};
const driverView: View<DriverDescription> = {
  fields: driverFields,
  summary: Object.keys(summaryFields),
  shown: {
    properties: ({ name }, { baseUrl }) => linkPair(baseUrl, `drivers/${name}/properties`),
    type: typeOf,
    ...Object.fromEntries(
      interfaceTypes.flatMap((type) => [
        [
          `default_${type}_interface`,
          ({ interfaces }: DriverDescription) => interfaces?.defaults[type] ?? null,
        ],
        [
          `enabled_${type}_interfaces`,
          ({ interfaces }: DriverDescription) => interfaces?.enabled[type] ?? null,
        ],
      ]),
    ),
  },
};
const driverSchema = linkedSchema('Driver', fieldSchemas(driverFields));

export const driverRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/drivers',
    since: 1,
    query: listParameters,
    answers: { 200: wholeSchema({ drivers: listSchema(driverSchema) }) },
    handler: list,
  }),
  route({
    method: 'GET',
    path: '/v1/drivers/:driver',
    since: 1,
    query: { fields: listParameters.fields },
    answers: { 200: driverSchema },
    handler: show,
  }),
  route({
    method: 'GET',
    path: '/v1/drivers/:driver/properties',
    since: 1,
    answers: { 200: mapSchema(textSchema) },
    handler: showProperties,
  }),
];

function list(request: ApiRequest<typeof listParameters>): Reply {
  const { type } = request.query;
  const names = listedFields(driverView, request);
  const drivers = listDrivers(request.services).filter(
    (driver) => type === undefined || typeOf(driver) === type,
  );
  return { status: 200, body: { drivers: drivers.map((driver) => view(driver, request, names)) } };
}

function show(request: ApiRequest<{ fields: { kind: 'list' } }>): Reply {
  const driver = describeDriver(request.services, request.parameters['driver'] ?? '');
  return { status: 200, body: view(driver, request, namedFields(driverView, request)) };
}

function showProperties({ services, parameters }: ApiRequest): Reply {
  const { properties } = describeDriver(services, parameters['driver'] ?? '');
  return { status: 200, body: properties };
}

function typeOf({ interfaces }: DriverDescription): string {
  return interfaces === null ? 'classic' : 'dynamic';
}

const view = (driver: DriverDescription, request: ApiRequest, names: readonly string[] | undefined) => ({
  ...shownRecord(driverView, driver, request, names),
  links: linkPair(request.baseUrl, `drivers/${driver.name}`),
});
