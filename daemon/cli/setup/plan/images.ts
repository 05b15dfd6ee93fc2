// The systems that the operator wants to deploy, in the catalogue of the running daemon.
import { createApiClient, ApiRefusal } from '../../api-client.ts';
import type { CommandContext } from '../../command.ts';
import { imageCommand } from '../../records/image-command.ts';
import type { HostChange } from '../change.ts';
import { CERTIFICATE } from '../paths.ts';
import type { FirstLogin } from './account.ts';
import type { PlanParts } from './plan-parts.ts';
import { hostInUrl } from '../../../lib/network/ip.ts';

/** Returns the variables of the environment with which commands reach the API as this user; the password is not among them. */
export function apiEnvironment(
  { loaded }: Pick<PlanParts, 'loaded'>,
  user: string,
): Readonly<Record<string, string>> {
  const { enable_ssl_api: isOn, cert_file: certificate, host_ip: host, port } = loaded.config.api;
  const { auth_strategy: strategy } = loaded.config.DEFAULT;
  const address = host === '0.0.0.0' ? '127.0.0.1' : host;
  return {
    OS_ENDPOINT: `${isOn ? 'https' : 'http'}://${hostInUrl(address)}:${port}`,
    ...(isOn && certificate === CERTIFICATE && { OS_CACERT: certificate }),
    ...(strategy === 'http_basic' && { OS_AUTH_TYPE: 'http_basic', OS_USERNAME: user }),
  };
}

/** Returns a change for each system that no earlier run has added. */
export function imageChanges(
  parts: PlanParts,
  { images, admin }: { readonly images: readonly string[]; readonly admin: string },
  login: FirstLogin,
): readonly HostChange[] {
  const environment = () => ({
    ...apiEnvironment(parts, admin),
    ...(login.password && { OS_PASSWORD: login.password }),
  });
  return images
    .filter((name) => !parts.journal.isDone(`image-${name}`))
    .map((name) => ({
      id: `image-${name}`,
      says: `adds ${name} to the catalogue of images`,
      shows: [`ironic-edge image add ${name}`],
      prepare: async () => ({ kind: 'image', name }),
      async apply() {
        if (await isKnown(environment(), name)) return;
        const quiet = {
          environment: environment(),
          stdout: { write: () => undefined },
          stderr: { write: () => undefined },
        };
        await imageCommand(['add', name], quiet);
      },
    }));
}

async function isKnown(environment: CommandContext['environment'], name: string): Promise<boolean> {
  try {
    await createApiClient(environment).request('GET', `/v1/images/${name}`);
    return true;
  } catch (error) {
    if (error instanceof ApiRefusal && error.isAbsence) return false;
    throw error;
  }
}
