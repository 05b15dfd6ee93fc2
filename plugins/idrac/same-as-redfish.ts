// Interfaces of the hardware type `idrac` that are the same as those of `redfish`; plugin.json names them `idrac-redfish`.
import { extendInterface } from '#plugin-api';

export const idracBios = extendInterface('bios', 'redfish', (redfish) => redfish);
export const idracPower = extendInterface('power', 'redfish', (redfish) => redfish);
export const idracVendor = extendInterface('vendor', 'redfish', (redfish) => redfish);
