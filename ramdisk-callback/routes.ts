// The routes for booted ramdisks (lookup, heartbeat, continue_inspection), and the operators' route for processing a report
// again. Public routes need no login: access to them depends on the node's state, its agent token and the machine's MAC addresses.
import { expectFirstBoot } from '../daemon/conductor/boot/first-boot.ts';
import { findNode } from '../daemon/conductor/records/find-record.ts';
import type { Parameters, Taken } from '../daemon/http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../daemon/http/route.ts';
import { acceptHeartbeat, type Heartbeat } from '../daemon/conductor/flows/heartbeat.ts';
import { findForLookup, issueAgentToken, refuseWhenDisabled } from '../daemon/conductor/ramdisk/lookup.ts';
import { parseMac } from '../daemon/lib/network/mac.ts';
import { Fault, fault } from '../daemon/model/faults.ts';
import type { Node } from '../daemon/model/records/node.ts';
import { MASK } from '../daemon/model/secrets.ts';
import { lookupReply, lookupSchema } from './lookup-reply.ts';
import { continueInspectionRoute } from './continue-inspection.ts';
import { reprocessRoute } from './reprocess.ts';

const TOKENS_SINCE = 62;
const lookupParameters = {
  addresses: { kind: 'list' },
  node_uuid: { kind: 'uuid' },
} as const satisfies Parameters;

const AGENT_VERSION_SINCE = 36;
const text = (maximumLength: number) => ({ kind: 'text', maximumLength }) as const;
const notBefore = (since: number) => ({ since, tooOld: 400 }) as const;
// Limits for what is stored in a node from a heartbeat, which anyone can send. Agents send far less: names and versions of some
// dozen characters, a certificate of some 2 KiB. A status message is the last output of an installer.
const heartbeatParameters = {
  node_ident: text(255),
  callback_url: { ...text(2048), required: true },
  agent_token: text(255),
  agent_version: { ...text(255), ...notBefore(AGENT_VERSION_SINCE) },
  agent_verify_ca: { ...text(65_536), ...notBefore(68) },
  agent_status: { kind: 'text', ...notBefore(72), values: ['start', 'end', 'error'] },
  agent_status_message: { ...text(16_384), ...notBefore(72) },
} as const satisfies Parameters;

const heartbeatRoute = {
  method: 'POST',
  since: 22,
  // an agent sends one every two minutes, and one at the end of each command
  rate: { perSecond: 20, burst: 200 },
  unaudited: true,
  body: { parameters: heartbeatParameters },
  answers: { 202: null },
  handler: heartbeat,
} as const;

export const ramdiskRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/lookup',
    since: 22,
    public: true,
    // all machines of a rack may start at once behind one relay or translated address
    rate: { perSecond: 5, burst: 50 },
    query: lookupParameters,
    answers: { 200: lookupSchema },
    handler: lookup,
  }),
  route({ ...heartbeatRoute, path: '/v1/heartbeat' }),
  route({ ...heartbeatRoute, path: '/v1/heartbeat/:node', public: true }),
  continueInspectionRoute,
  reprocessRoute,
];

async function lookup(request: ApiRequest<typeof lookupParameters>): Promise<Reply> {
  const { services, query, minor, baseUrl } = request;
  refuseWhenDisabled(services);
  const macs = (query.addresses ?? []).flatMap((address) => parseMac(address) ?? []);
  if (macs.length === 0 && query.node_uuid === undefined) {
    throw fault('Invalid', {
      reason: 'Lookup needs at least one valid MAC address in addresses, or node_uuid.',
    });
  }
  const node = findForLookup(
    services,
    { uuid: query.node_uuid, macs, bmcAddresses: [] },
    request.caller.address,
  );
  recordLookup(request, node, macs);
  if (node === undefined) throw fault('NotFound', {});
  const token = minor >= TOKENS_SINCE ? await issueAgentToken(services, node) : null;
  if (token !== null && token !== MASK) {
    const { requestId: request_id, address: client } = request.caller;
    services.log.info(
      { node: node.uuid, request_id, client },
      'the ramdisk performed a lookup and received its agent token',
    );
  }
  return { status: 200, body: lookupReply(services, baseUrl, node, token) };
}

function recordLookup(
  { services, caller: { address } }: Pick<ApiRequest, 'services' | 'caller'>,
  node: Node | undefined,
  [mac]: readonly string[],
): void {
  const machine = { ...(mac !== undefined && { mac }), ...(address !== null && { address }) };
  if (node !== undefined) expectFirstBoot(services, node.uuid);
  services.timeline.record(
    node === undefined
      ? {
          hop: 'lookup',
          ...machine,
          text: 'its ramdisk asked for its node; no node expects this ramdisk',
          failed: true,
        }
      : { hop: 'lookup', ...machine, node: node.uuid, text: 'its ramdisk looked up its node' },
  );
}

async function heartbeat(request: ApiRequest<Parameters, typeof heartbeatParameters>): Promise<Reply> {
  const { services, minor, parameters, given } = request;
  refuseWhenDisabled(services);
  const identifier = parameters['node'] ?? given.node_ident ?? undefined;
  if (identifier === undefined) throw fault('MissingParameter', { name: 'node_ident' });
  const checked = checkedHeartbeat(given, minor);
  await acceptHeartbeat(services, ownNode(request, identifier), checked);
  return { status: 202 };
}

/** Throws InvalidUuidOrName. For an unknown node, throws AgentTokenInvalid, so as not to reveal which nodes exist. */
function ownNode({ services, minor }: Pick<ApiRequest, 'services' | 'minor'>, identifier: string): Node {
  try {
    return findNode(services, identifier, minor);
  } catch (error) {
    if (error instanceof Fault && error.code === 'NodeNotFound') throw fault('AgentTokenInvalid', {});
    throw error;
  }
}

function checkedHeartbeat(given: Taken<typeof heartbeatParameters>, minor: number): Heartbeat {
  const { callback_url: callbackUrl, agent_token: token, agent_version: version } = given;
  // an installer that reports its status has no callback URL
  const flaw = callbackUrl === '' && given.agent_status ? undefined : callbackUrlFlaw(callbackUrl);
  if (flaw !== undefined)
    throw fault('InvalidParameter', { name: 'callback_url', reason: `${callbackUrl}: ${flaw}` });
  if (!token) throw fault('AgentTokenMissing', {});
  if (!version && !given.agent_status && minor >= AGENT_VERSION_SINCE)
    throw fault('MissingParameter', { name: 'agent_version' });
  return {
    callbackUrl,
    token,
    agentVersion: version ?? undefined,
    certificate: given.agent_verify_ca ?? undefined,
    ...reportIn(given),
  };
}

const reportIn = ({
  agent_status: status,
  agent_status_message: message,
}: Taken<typeof heartbeatParameters>): Pick<Heartbeat, 'report'> =>
  status ? { report: { status, message: message ?? '' } } : {};

/** Returns what is wrong with the URL; undefined if it is an http or https URL with only a host and an optional port. */
export function callbackUrlFlaw(url: string): string | undefined {
  if (!/^https?:\/\/\S+$/.test(url) || !URL.canParse(url)) return 'it is not an http or https URL';
  return /^https?:\/\/[^/\\?#@]+\/?$/.test(url)
    ? undefined
    : 'expected only a host and a port, as in https://192.0.2.10:9999';
}
