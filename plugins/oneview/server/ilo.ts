// The server's own management processor (iLO), reached with a key that the appliance issues.
import {
  fault,
  failureReason,
  HttpClient,
  HttpFailure,
  isJsonObject,
  type JsonObject,
  parseMac,
  reasonOf,
  type Task,
} from '#plugin-api';
import { answerBody, textOf } from '../appliance/answer.ts';
import { readFromAppliance } from '../appliance/appliance.ts';
import { oneviewOptions } from '../options.ts';
import { serverHardwareOf } from './node-fields.ts';

const CONSOLE = 'hplocons://';
/** The paths on iLO 5 and later, and those on iLO 4. */
const GENERATIONS = [
  { system: '/redfish/v1/Systems/1', sessions: '/redfish/v1/SessionService/Sessions' },
  { system: '/rest/v1/systems/1', sessions: '/rest/v1/sessions' },
] as const;

type Target = 'Pxe' | 'Hdd' | 'Cd';

interface Ilo {
  readonly get: (path: string) => Promise<{ readonly status: number; readonly body: JsonObject }>;
  readonly send: (method: string, path: string, body?: JsonObject) => Promise<number>;
}

/**
 * Returns the addresses of the server's own network ports; empty when the iLO names none. Throws BmcFailure or the faults of
 * `read`.
 */
export async function iloMacs(task: Task): Promise<readonly string[]> {
  const { system } = await conversing(task, readSystem);
  const correlation = system['HostCorrelation'];
  const addresses = isJsonObject(correlation) ? correlation['HostMACAddress'] : undefined;
  const macs = Array.isArray(addresses) ? addresses.map((one) => parseMac(String(one))) : [];
  return macs.filter((mac) => mac !== undefined);
}

/** Makes the server boot from `target` once. Throws BmcFailure or the faults of `read`. */
export const bootOnce = (task: Task, target: Target): Promise<void> =>
  conversing(task, async (ilo) => {
    const { path } = await readSystem(ilo);
    const boot = { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: 'Once' };
    const status = await ilo.send('PATCH', path, { Boot: boot });
    if (status >= 300) throw new Error(`it answered ${status} to a boot from ${target}`);
  });

/** Whether a device is set for the next boot alone; null when the iLO does not report it. */
export async function isBootOverridden(task: Task): Promise<boolean | null> {
  try {
    const { system } = await conversing(task, readSystem);
    const boot = system['Boot'];
    return isJsonObject(boot) ? boot['BootSourceOverrideEnabled'] === 'Once' : null;
  } catch (error) {
    task.signal.throwIfAborted();
    task.log.debug({ reason: reasonOf(error) }, 'the iLO does not tell the boot device of the next boot');
    return null;
  }
}

async function readSystem(ilo: Ilo): Promise<{ readonly path: string; readonly system: JsonObject }> {
  for (const { system: path } of GENERATIONS) {
    const { status, body } = await ilo.get(path);
    // an error page with status 200 does not mean that the server has no MAC address
    if (status === 200 && (isJsonObject(body['Boot']) || isJsonObject(body['HostCorrelation'])))
      return { path, system: body };
    if (status === 200) throw new Error(`its answer to GET ${path} is not a system`);
    if (status !== 404) throw new Error(`it answered ${status} to GET ${path}`);
  }
  throw new Error('it has no system resource');
}

/**
 * Runs `work` with the iLO. Then ends the session that the appliance has opened on the iLO, because an iLO allows only a few
 * sessions.
 */
async function conversing<T>(task: Task, work: (ilo: Ilo) => Promise<T>): Promise<T> {
  const access = await accessTo(task);
  const { request_timeout: timeoutSeconds, ilo_verify_ca: isVerified } = oneviewOptions(task);
  return task.bmc(access.url, { deadline: 4 * timeoutSeconds * 1000 }, async ({ signal }) => {
    const tls = { rejectUnauthorized: isVerified };
    const client = new HttpClient({ url: access.url, tls, idleSeconds: 5, clock: task.clock });
    const exchange = (method: string, url: string, body?: JsonObject) =>
      client.send({
        method,
        url,
        headers: { 'x-auth-token': access.key },
        ...(body && { body: JSON.stringify(body) }),
        timeoutSeconds,
        signal,
      });
    const ilo: Ilo = {
      async get(path) {
        const reply = await exchange('GET', path);
        return { status: reply.status, body: answerBody(reply) ?? {} };
      },
      async send(method, path, body) {
        const reply = await exchange(method, path, body);
        if (reply.bytes.length > 0 && answerBody(reply) === undefined)
          throw new Error(`its answer to ${method} ${path} is not JSON`);
        return reply.status;
      },
    };
    try {
      return await work(ilo);
    } catch (error) {
      throw told(task, access.url, error);
    } finally {
      await endSession(ilo).catch(() => undefined);
      client.close();
    }
  });
}

function told(task: Task, address: string, error: unknown): unknown {
  task.signal.throwIfAborted();
  const reason = error instanceof HttpFailure ? failureReason(error) : reasonOf(error);
  const place = { operation: 'Access to the iLO', node: task.node.uuid, address };
  return fault('BmcFailure', { ...place, reason }, { cause: error });
}

async function accessTo(task: Task): Promise<{ readonly url: string; readonly key: string }> {
  const uri = `${serverHardwareOf(task.node)}/remoteConsoleUrl`;
  const operation = 'Asking for access to the iLO';
  const text = textOf(
    await readFromAppliance(task, { operation, url: uri, kind: 'console' }),
    'remoteConsoleUrl',
  );
  const query = new URLSearchParams(text.startsWith(CONSOLE) ? text.slice(CONSOLE.length) : '');
  const [address, key] = [query.get('addr'), query.get('sessionkey')];
  const url = URL.parse(`https://${address}`);
  if (address !== null && key !== null && url !== null) return { url: url.origin, key };
  const place = {
    operation: 'Access to the iLO',
    node: task.node.uuid,
    address: address ?? 'without an address',
  };
  throw fault('BmcFailure', { ...place, reason: 'OneView gave no address or no session key for it' });
}

async function endSession(ilo: Ilo): Promise<void> {
  for (const { sessions } of GENERATIONS) {
    const { status, body } = await ilo.get(sessions);
    if (status !== 200) continue;
    for (const uri of ownSessions(body)) await ilo.send('DELETE', uri);
    return;
  }
}

function ownSessions(list: JsonObject): readonly string[] {
  const members = [list['Items'], list['Members']].find(Array.isArray) ?? [];
  return members.filter(isJsonObject).flatMap((member) => {
    const oem = isJsonObject(member['Oem']) ? member['Oem'] : {};
    const own = [oem['Hp'], oem['Hpe']].some(
      (vendor) => isJsonObject(vendor) && vendor['MySession'] === true,
    );
    const links = isJsonObject(member['links']) ? member['links']['self'] : undefined;
    const uri = textOf(member, '@odata.id') || (isJsonObject(links) ? textOf(links, 'href') : '');
    return own && uri.startsWith('/') ? [uri] : [];
  });
}
