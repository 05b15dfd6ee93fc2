// Classic drivers, whose interfaces are fixed by their author and cannot be chosen per node.
import type { Driver } from './interfaces.ts';

/** Using an interface type that is left out throws UnsupportedDriverExtension. */
export type ClassicDriver = Partial<Driver>;

export const defineClassicDriver = (driver: ClassicDriver): ClassicDriver => driver;
