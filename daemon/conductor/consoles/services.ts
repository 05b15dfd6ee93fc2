// What the consoles of machines need.
import type { SerialConsoles } from './serial-consoles.ts';

export interface ConsoleServices {
  readonly consoles: SerialConsoles;
}
