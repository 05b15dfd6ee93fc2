// Asks an address whether a BMC answers there, without a login: for the root of its Redfish service, which everybody may read, and
// by a presence ping (RMCP). Whoever answers may lie.
import { createSocket } from 'node:dgram';
import { type Clock, sleep } from '../../lib/clock.ts';
import { HttpClient } from '../../lib/http-client/http-client.ts';
import { limitConcurrency } from '../../lib/limits/limit-concurrency.ts';
import { hostInUrl } from '../../lib/network/ip.ts';
import { plainText } from '../../lib/plain-text.ts';
import { parseUuid } from '../../lib/uuid.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { BmcProtocol } from '../../model/zero-touch/found-bmc.ts';
import { findingLimits } from '../limits.ts';

export interface ServiceRoot {
  /** Null when the service has none, or one that many have. */
  readonly uuid: string | null;
  readonly vendor: string | null;
  readonly product: string | null;
  readonly version: string | null;
}

export interface ProbeAnswer {
  readonly protocols: readonly BmcProtocol[];
  /** Undefined: Redfish did not answer. */
  readonly root: ServiceRoot | undefined;
}

/** Resolves with undefined when no BMC answers. Rejects only when the daemon stops. */
export type AskBmc = (address: string) => Promise<ProbeAnswer | undefined>;

interface Surroundings {
  readonly clock: Clock;
  /** Aborts when the daemon stops. */
  readonly stopping: AbortSignal;
}

export function createBmcAsker({ clock, stopping }: Surroundings): AskBmc {
  const { atOnce, perSecond } = findingLimits.asked;
  const inPlace = limitConcurrency(atOnce);
  let nextAt = 0;
  const turn = async () => {
    const now = clock.monotonic();
    const at = Math.max(now, nextAt);
    nextAt = at + 1000 / perSecond;
    if (at > now) await sleep(clock, at - now, stopping);
    stopping.throwIfAborted();
  };
  return (address) =>
    inPlace(async () => {
      await turn();
      const [root, hasIpmi] = await Promise.all([
        serviceRoot(address, { clock, stopping }),
        answersPing(address, { clock, stopping }),
      ]);
      stopping.throwIfAborted();
      if (root === undefined && !hasIpmi) return undefined;
      return {
        protocols: [...(root ? ['redfish' as const] : []), ...(hasIpmi ? ['ipmi' as const] : [])],
        root,
      };
    });
}

const CONNECT_SECONDS = 3;
const REPLY_SECONDS = 10;

async function serviceRoot(
  address: string,
  { clock, stopping: signal }: Surroundings,
): Promise<ServiceRoot | undefined> {
  const client = new HttpClient({
    url: `https://${hostInUrl(address)}`,
    // the request has no secret, and BMCs that nobody has configured have certificates of their own making
    tls: { rejectUnauthorized: false, minVersion: 'TLSv1.1' },
    connectSeconds: CONNECT_SECONDS,
    clock,
  });
  try {
    const { status, bytes } = await client.send({
      url: '/redfish/v1/',
      timeoutSeconds: REPLY_SECONDS,
      largestReplyBytes: findingLimits.rootBytes,
      redirects: 1,
      signal,
    });
    return status === 200 ? rootIn(JSON.parse(bytes.toString()) as Json) : undefined;
  } catch {
    return undefined;
  }
}

function rootIn(document: Json): ServiceRoot | undefined {
  if (!isJsonObject(document)) return undefined;
  const type = textIn(document, '@odata.type') ?? '';
  const version = textIn(document, 'RedfishVersion');
  if (version === null && !type.startsWith('#ServiceRoot.')) return undefined;
  return {
    uuid: ownUuid(textIn(document, 'UUID') ?? ''),
    vendor: textIn(document, 'Vendor'),
    product: textIn(document, 'Product'),
    version,
  };
}

function textIn(document: JsonObject, name: string): string | null {
  const value = document[name];
  if (typeof value !== 'string') return null;
  return plainText(value.slice(0, findingLimits.characters)).trim() || null;
}

/** Firmware that does not know its UUID says that it is all zeros, or all ones. */
function ownUuid(text: string): string | null {
  const uuid = parseUuid(text);
  return uuid === undefined || /^[0-]+$|^[f-]+$/.test(uuid) ? null : uuid;
}

const RMCP_PORT = 623;
const PONG_MILLISECONDS = 2000;
// RMCP header of class ASF; IANA number of the ASF; message type "presence ping"; tag; no data (DSP0136, section 3.2.4)
const PRESENCE_PING = Buffer.from('0600ff06000011be80000000', 'hex');
const PRESENCE_PONG = 0x40;
const SUPPORTED_ENTITIES = 20;
const IPMI_SUPPORTED = 0x80;

/** Whether the address answers a presence ping, and says that it speaks IPMI. The kernel takes answers from this address only. */
function answersPing(address: string, { clock, stopping }: Surroundings): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    let isSettled = false;
    const settle = (answers: boolean) => {
      if (isSettled) return;
      isSettled = true;
      cancel();
      stopping.removeEventListener('abort', giveUp);
      socket.close();
      resolve(answers);
    };
    const giveUp = () => settle(false);
    const cancel = clock.after(PONG_MILLISECONDS, giveUp);
    stopping.addEventListener('abort', giveUp, { once: true });
    // no route, or a host that says that nothing listens there
    socket.on('error', giveUp);
    socket.on('message', (datagram) => {
      if (isPong(datagram)) settle(true);
    });
    // a callback of connect would also be called when the name does not resolve
    socket.on('connect', () => socket.send(PRESENCE_PING));
    socket.connect(RMCP_PORT, address);
  });
}

const isPong = (datagram: Buffer): boolean =>
  datagram.length > SUPPORTED_ENTITIES &&
  datagram[3] === PRESENCE_PING[3] &&
  datagram[8] === PRESENCE_PONG &&
  ((datagram[SUPPORTED_ENTITIES] ?? 0) & IPMI_SUPPORTED) !== 0;
