// The management processors (iLO) of a simulated OneView appliance's servers. All have the same address; the session key of a
// request tells which one is meant.
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { ServedRequest, ServedReply } from '../server.ts';
import { type ApplianceServer, textField } from './state.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const OLD_SYSTEM = '/rest/v1/systems/1';

export function answerAsIlo(servers: Iterable<ApplianceServer>, question: ServedRequest): ServedReply {
  const key = String(question.headers['x-auth-token']);
  const server = [...servers].find(({ iloKeys }) => iloKeys.has(key));
  if (server?.iloTrouble === 'down') return { status: 0 };
  if (server?.iloTrouble === 'web page') return { status: 200, text: '<html>Log in</html>' };
  if (server === undefined || server.iloTrouble === 'unauthorized') return { status: 401, body: {} };
  const { method, path, body } = question;
  if (path === SYSTEM || path === OLD_SYSTEM) return answerOfSystem(server, method, body);
  return answerOfSessions(server, key, `${method} ${path}`);
}

function answerOfSessions(server: ApplianceServer, key: string, request: string): ServedReply {
  if (request === `GET ${SESSIONS}`) return { status: 200, body: { Members: sessionsOf(server, key) } };
  if (request !== `DELETE ${SESSIONS}/${key}`) return { status: 404, body: {} };
  server.iloKeys.delete(key);
  return { status: 200, body: {} };
}

function answerOfSystem(server: ApplianceServer, method: string, body: unknown): ServedReply {
  if (method === 'GET') return { status: 200, body: describe(server) };
  const boot = isJsonObject(body) ? body['Boot'] : undefined;
  const device = isJsonObject(boot) ? devices[textField(boot, 'BootSourceOverrideTarget')] : undefined;
  if (method !== 'PATCH' || device === undefined) return { status: 400, body: {} };
  server.bootOnce = device;
  return { status: 200, body: {} };
}

/** The names of boot devices: the iLO's name, then the name in the boot order of a profile. */
const devices: Readonly<Record<string, string>> = { Pxe: 'PXE', Hdd: 'HardDisk', Cd: 'CD' };

const describe = ({ bootOnce, macs }: ApplianceServer): JsonObject => ({
  Id: '1',
  HostCorrelation: { HostMACAddress: macs },
  Boot: {
    BootSourceOverrideEnabled: bootOnce === undefined ? 'Disabled' : 'Once',
    BootSourceOverrideTarget: Object.keys(devices).find((name) => devices[name] === bootOnce) ?? 'None',
  },
});

const sessionsOf = ({ iloKeys }: ApplianceServer, own: string): readonly JsonObject[] =>
  [...iloKeys].map((key) => ({ '@odata.id': `${SESSIONS}/${key}`, Oem: { Hp: { MySession: key === own } } }));
