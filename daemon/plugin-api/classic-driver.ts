// Classic drivers: their interfaces are chosen by who wrote them, not by the node.
import type { Driver } from './interfaces.ts';

/** Interface types that are left out are refused with UnsupportedDriverExtension. */
export type ClassicDriver = Partial<Driver>;

export const defineClassicDriver = (driver: ClassicDriver): ClassicDriver => driver;
