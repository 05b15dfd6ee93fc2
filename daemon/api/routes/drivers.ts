// /v1/drivers: the enabled hardware types and classic drivers, their interfaces and the driver_info fields they read.
import { describeDriver, type DriverDescription, listDrivers } from '../../conductor/drivers.ts';
import { fault } from '../../model/faults.ts';
import { interfaceTypes, type InterfaceType } from '../../model/interface-types.ts';
import { linkPair } from '../links.ts';
import { type ApiRequest, type Parameters, type Reply, type Route, route } from '../route.ts';
import { refuseFieldsWithDetail } from '../visible-fields.ts';

const PROPERTIES_LINK_SINCE = 14;
const TYPE_SINCE = 30;

const listParameters = {
  type: { kind: 'text', since: TYPE_SINCE },
  detail: { kind: 'flag', since: TYPE_SINCE },
  fields: { kind: 'list', since: 77 },
} as const satisfies Parameters;

export const driverRoutes: readonly Route[] = [
  route({ method: 'GET', path: '/v1/drivers', since: 1, query: listParameters, handler: list }),
  route({
    method: 'GET',
    path: '/v1/drivers/:driver',
    since: 1,
    query: { fields: listParameters.fields },
    handler: show,
  }),
  route({ method: 'GET', path: '/v1/drivers/:driver/properties', since: 1, handler: showProperties }),
];

/** Interface types that a driver's view gained after the nine of 1.30. */
const INTERFACE_SINCE: Readonly<Partial<Record<InterfaceType, number>>> = {
  storage: 33,
  rescue: 38,
  bios: 40,
  firmware: 86,
};

function list(request: ApiRequest<typeof listParameters>): Reply {
  const { type, detail, fields } = request.query;
  if (type !== undefined && type !== 'classic' && type !== 'dynamic') {
    throw fault('InvalidParameter', { name: 'type', reason: `${type} is not one of classic, dynamic` });
  }
  refuseFieldsWithDetail(request.query);
  const drivers = listDrivers(request.services).filter(
    (driver) => type === undefined || typeOf(driver) === type,
  );
  const full = detail === true || fields !== undefined;
  return {
    status: 200,
    body: { drivers: drivers.map((driver) => only(view(driver, request, full), fields)) },
  };
}

function show(request: ApiRequest<{ fields: { kind: 'list' } }>): Reply {
  const driver = describeDriver(request.services, request.parameters['driver'] ?? '');
  return { status: 200, body: only(view(driver, request, true), request.query.fields) };
}

function showProperties({ services, parameters }: ApiRequest): Reply {
  const { properties } = describeDriver(services, parameters['driver'] ?? '');
  return { status: 200, body: properties };
}

const typeOf = (driver: DriverDescription) => (driver.interfaces === null ? 'classic' : 'dynamic');

function only(shown: Readonly<Record<string, unknown>>, fields: readonly string[] | undefined): object {
  if (fields === undefined) return shown;
  const unknown = fields.find((name) => !Object.hasOwn(shown, name));
  if (unknown !== undefined) throw fault('InvalidField', { field: unknown });
  return Object.fromEntries([...fields, 'links'].map((name) => [name, shown[name]]));
}

function view(
  driver: DriverDescription,
  { baseUrl, minor }: ApiRequest,
  full: boolean,
): Record<string, unknown> {
  return {
    name: driver.name,
    hosts: driver.hosts,
    links: linkPair(baseUrl, `drivers/${driver.name}`),
    ...(minor >= PROPERTIES_LINK_SINCE && {
      properties: linkPair(baseUrl, `drivers/${driver.name}/properties`),
    }),
    ...(minor >= TYPE_SINCE && { type: typeOf(driver) }),
    ...(full && minor >= TYPE_SINCE && interfacesView(driver, minor)),
  };
}

function interfacesView(driver: DriverDescription, minor: number): Record<string, unknown> {
  const shown = interfaceTypes.filter((type) => minor >= (INTERFACE_SINCE[type] ?? TYPE_SINCE));
  return Object.fromEntries(
    shown.flatMap((type): [string, unknown][] => [
      [`default_${type}_interface`, driver.interfaces?.defaults[type] ?? null],
      [`enabled_${type}_interfaces`, driver.interfaces?.enabled[type] ?? null],
    ]),
  );
}
