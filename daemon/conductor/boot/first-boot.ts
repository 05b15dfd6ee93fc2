// Makes the detection of boot loops count a machine's boots from zero. Call it when the daemon changes the machine's power, and
// when the machine's ramdisk has reported.
import type { Services } from '../services.ts';

export function expectFirstBoot({ db, bootLoops }: Services, node: string): void {
  for (const { address } of db.ports.ofNode(node)) bootLoops.forget(address);
}
