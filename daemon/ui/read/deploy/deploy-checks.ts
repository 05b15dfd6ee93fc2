// Checks each field of the form Deploy by itself, so that every mistake is shown beside its field.
import { describedInstance, type InstanceRequest } from '../../../conductor/images/instance-request.ts';
import { Fault } from '../../../model/faults.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { DeployField, DeployRequest } from '../../actions/deploy/deploy-fields.ts';
import type { ReadServices } from '../services.ts';
import type { DeployMachine } from './deploy-machines.ts';

export type WrongFields = Readonly<Partial<Record<DeployField, string>>>;

/** For each part of a request: the field that the mistake is shown at. */
const PLACES: Readonly<Record<string, DeployField>> = {
  profile: 'profile',
  hostname: 'hostname',
  ssh_keys: 'keys',
  user_data: 'user_data',
  network: 'addresses',
  root_device: 'disk',
};
/** These parts may suit one machine and not the next. */
const OF_EACH = new Set(['hostname', 'network', 'profile']);

/** What the form itself accepts; the command line takes longer documents. */
export const MOST_USER_DATA = 65_536;

export function wrongFields(
  services: Pick<ReadServices, 'db'>,
  { instance }: DeployRequest,
  machines: readonly DeployMachine[],
): WrongFields {
  const { user_data: document, image, image_checksum: checksum } = instance;
  const wrong: Partial<Record<DeployField, string>> = {};
  if (typeof document === 'string' && Buffer.byteLength(document) > MOST_USER_DATA)
    wrong.user_data = `it has ${Buffer.byteLength(document)} bytes, and this form takes ${MOST_USER_DATA}; "ironic-edge node deploy --user-data FILE" takes more`;
  if (checksum !== undefined && image === undefined) wrong.image_checksum = 'it needs the URL of an image';
  for (const [part, place] of Object.entries(PLACES)) {
    const value = instance[part];
    const judged = OF_EACH.has(part) ? machines : machines.slice(0, 1);
    const reason =
      value === undefined ? undefined : firstReason(services, { [part]: value }, judged, machines.length);
    if (reason !== undefined) wrong[place] ??= reason;
  }
  return wrong;
}

function firstReason(
  services: Pick<ReadServices, 'db'>,
  part: JsonObject,
  judged: readonly DeployMachine[],
  machines: number,
): string | undefined {
  for (const [index, { node, label }] of judged.entries())
    try {
      describedInstance(services, node, { ...(part as InstanceRequest), number: index + 1, machines });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { reason } = error.parameters;
      const text = typeof reason === 'string' ? reason : error.message;
      return judged.length > 1 ? `${label}: ${text}` : text;
    }
  return undefined;
}
