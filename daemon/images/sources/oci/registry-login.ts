// The login for a container registry: that of the instance, else one that the configuration has for this registry.
import { isListedHost } from '../../../lib/network/listed-host.ts';
import { readRegularFile } from '../../../lib/files/regular-file.ts';
import { isJsonObject, type Json } from '../../../model/json.ts';
import { imageLimits } from '../../limits.ts';

export interface RegistryLogins {
  /** `instance_info/image_pull_secret`: `USER:PASSWORD`, or the same in base64. */
  readonly pullSecret: string | null;
  /** The login for image servers; it is used for a registry that `hosts` lists. */
  readonly login: {
    readonly user: string;
    readonly password: string;
    readonly hosts: readonly string[];
  } | null;
}

/**
 * Resolves to `USER:PASSWORD` in base64, or null for no login. `loginsFile`: the path of a file in docker's and podman's
 * format: `{"auths": {"registry.example": {"auth": "BASE64"}}}`.
 */
export async function registryLogin(
  registry: string,
  { pullSecret, login }: RegistryLogins,
  loginsFile: string | null,
): Promise<string | null> {
  if (pullSecret !== null) return pullSecret.includes(':') ? base64(pullSecret) : pullSecret.trim();
  if (login !== null && isListedHost(new URL(`https://${registry}`), login.hosts))
    return base64(`${login.user}:${login.password}`);
  return loginsFile === null
    ? null
    : loginIn(await readRegularFile(loginsFile, imageLimits.registryLoginsBytes), registry);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function loginIn(text: string, registry: string): string | null {
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch {
    throw new Error('the file of [oci] authentication_config is not JSON');
  }
  const auths = isJsonObject(document) ? document['auths'] : undefined;
  const entry = isJsonObject(auths) ? auths[registry] : undefined;
  const auth = isJsonObject(entry) ? entry['auth'] : undefined;
  return typeof auth === 'string' ? auth : null;
}
