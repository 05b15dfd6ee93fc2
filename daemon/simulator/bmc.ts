// The BMC of a simulated machine: Redfish for power and boot source, with basic authentication.
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { ServedRequest, ServedReply } from './server.ts';

export type PowerReset = 'On' | 'ForceOff' | 'GracefulShutdown' | 'ForceRestart' | 'GracefulRestart';
const resets: readonly PowerReset[] = [
  'On',
  'ForceOff',
  'GracefulShutdown',
  'ForceRestart',
  'GracefulRestart',
];

/** The boot source override in Redfish's spelling. */
export interface BootOverride extends JsonObject {
  /** `Cd` is used only by `redfish-rack.ts`. */
  readonly BootSourceOverrideTarget: 'None' | 'Pxe' | 'Hdd' | 'UefiHttp' | 'Cd';
  readonly BootSourceOverrideEnabled: 'Disabled' | 'Once' | 'Continuous';
  /** For `UefiHttp`: the ramdisk's URL, whose query contains the kernel parameters. For `Cd`: the URL of the CD image. */
  readonly HttpBootUri: string;
}

export const noOverride: BootOverride = {
  BootSourceOverrideTarget: 'None',
  BootSourceOverrideEnabled: 'Disabled',
  HttpBootUri: '',
};

/** What a BMC reads and changes of its machine. */
export interface Hardware {
  readonly powerState: 'On' | 'Off';
  boot: BootOverride;
  reset(type: PowerReset): void;
}

export const CREDENTIALS = { username: 'admin', password: 'simulated' };
const AUTHORIZATION = `Basic ${Buffer.from(`${CREDENTIALS.username}:${CREDENTIALS.password}`).toString('base64')}`;
const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;

export async function answerAsBmc(hardware: Hardware, question: ServedRequest): Promise<ServedReply> {
  if (question.authorization !== AUTHORIZATION) return refusal(401, 'Wrong user name or password');
  switch (`${question.method} ${question.path}`) {
    case `GET ${SYSTEM}`:
      return { status: 200, body: systemOf(hardware) };
    case `PATCH ${SYSTEM}`:
      return override(hardware, question.body);
    case `POST ${RESET}`:
      return reset(hardware, question.body);
    default:
      return refusal(404, `There is no ${question.method} ${question.path}`);
  }
}

function systemOf({ powerState, boot }: Hardware): JsonObject {
  return {
    '@odata.id': SYSTEM,
    Id: '1',
    PowerState: powerState,
    Boot: boot,
    Actions: { '#ComputerSystem.Reset': { target: RESET, 'ResetType@Redfish.AllowableValues': resets } },
  };
}

function override(hardware: Hardware, body: unknown): ServedReply {
  const boot: unknown = isJsonObject(body) ? body['Boot'] : undefined;
  const known = isJsonObject(boot) && Object.keys(boot).every((key) => Object.hasOwn(noOverride, key));
  if (!known) return refusal(400, 'Only Boot can be changed');
  hardware.boot = { ...hardware.boot, ...boot };
  return { status: 204 };
}

function reset(hardware: Hardware, body: unknown): ServedReply {
  const type = resets.find((each) => isJsonObject(body) && body['ResetType'] === each);
  if (type === undefined) return refusal(400, 'ResetType is not one of the allowable values');
  if ((hardware.powerState === 'On') === (type === 'On'))
    return refusal(409, `${type} while the power is ${hardware.powerState}`);
  hardware.reset(type);
  return { status: 204 };
}

const refusal = (status: number, message: string): ServedReply => ({
  status,
  body: { error: { code: 'Base.1.0.GeneralError', message } },
});
