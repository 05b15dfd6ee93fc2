// A network interface as the hooks hand it on in plugin data.
import { isJsonObject, type Json, type JsonObject, parseMac } from '#plugin-api';

/** Everything the ramdisk reported of it, and these. */
export interface ReportedInterface extends JsonObject {
  /** Lower-cased colon form. */
  readonly mac_address: string;
  /** The ramdisk booted from it, as far as is known. */
  readonly pxe_enabled: boolean;
}

export function isReportedInterface(value: Json): value is ReportedInterface {
  return (
    isJsonObject(value) &&
    typeof value['mac_address'] === 'string' &&
    parseMac(value['mac_address']) === value['mac_address'] &&
    typeof value['pxe_enabled'] === 'boolean'
  );
}
