// The URL at which a BMC reaches the HTTP boot server: a BMC may be on another network than its machine.
import { driverInfoUrl } from '../../plugin-api/index.ts';
import type { NetworkBootTask } from './services.ts';

/** `name`: the name of a served file. Throws DriverInfoInvalid if external_http_url of driver_info is not an http or https URL. */
export function urlForBmc({ services, node }: NetworkBootTask, name: string): string {
  const base = driverInfoUrl(node, 'external_http_url') ?? services.networkBoots.httpUrl ?? '';
  return `${base}/${name}`;
}
