// The control path of a simulated OneView appliance: `POST /sim/faults` adds a fault, `DELETE /sim/faults` removes all.
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ServedRequest, ServedReply } from '../server.ts';
import type { FaultAction, Faults, SimulatedFault } from './faults.ts';

export const CONTROL_PATH = '/sim/faults';

type FieldType = 'string' | 'number' | 'boolean';
type Fields = Readonly<Record<string, FieldType>>;

/** The fields that each kind of fault needs in addition to its kind. */
const actionFields: Readonly<Record<FaultAction['kind'], Fields>> = {
  reset: {},
  'drop reply': {},
  hang: { seconds: 'number' },
  status: { status: 'number', code: 'string' },
  'bad json': {},
  'other answer': { status: 'number', text: 'string' },
  'location only': { isAbsolute: 'boolean' },
  'expired session': {},
  'stale etag': {},
  'claim before': {},
  'task error': { code: 'string' },
  'task warning': {},
  'task stuck': {},
  'task slow': { factor: 'number' },
  'task lost': {},
  'claim during': {},
};
const optionalFields: Fields = { leavesProfile: 'boolean' };
const faultFields: Fields = { method: 'string', path: 'string', times: 'number', share: 'number' };

/** Adds the fault in the body of a POST, or removes all faults on a DELETE. Needs no session. */
export function answerControl(faults: Faults, { method, body }: ServedRequest): ServedReply {
  if (method === 'DELETE') {
    faults.clear();
    return { status: 204 };
  }
  if (method !== 'POST') return refused(405, `${method} ${CONTROL_PATH}: expected POST or DELETE`);
  const problem = problemOf(body);
  if (problem !== undefined) return refused(400, problem);
  faults.add(body as SimulatedFault);
  return { status: 201, body };
}

const refused = (status: number, message: string): ServedReply => ({ status, body: { message } });

function problemOf(body: unknown): string | undefined {
  if (!isJsonObject(body)) return 'the fault is not a JSON object';
  const { action, ...rest } = body;
  const wrong = wrongField(rest, {}, faultFields);
  if (wrong !== undefined) return wrong;
  if (!isJsonObject(action)) return 'action is missing or not an object: expected an object with kind';
  const { kind, ...given } = action;
  const kinds = Object.keys(actionFields);
  const known = kinds.find((each) => each === kind) as FaultAction['kind'] | undefined;
  if (known === undefined) return `action.kind ${JSON.stringify(kind)}: expected one of ${kinds.join(', ')}`;
  return wrongField(given, actionFields[known], known === 'task error' ? optionalFields : {});
}

function wrongField(given: JsonObject, needed: Fields, optional: Fields): string | undefined {
  const missing = Object.keys(needed).find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) return `${missing} is missing: expected ${described(needed[missing])}`;
  const allowed = { ...needed, ...optional };
  for (const [name, value] of Object.entries(given))
    if (!Object.hasOwn(allowed, name)) return `${name} is not a field of this fault`;
    else if (!isOf(allowed[name], value))
      return `${name} ${JSON.stringify(value)}: expected ${described(allowed[name])}`;
  return undefined;
}

const described = (type: FieldType | undefined): string =>
  type === 'number' ? 'a number of at least 0' : `a ${type}`;

const isOf = (type: FieldType | undefined, value: Json | undefined): boolean =>
  typeof value === type && (typeof value !== 'number' || value >= 0);
