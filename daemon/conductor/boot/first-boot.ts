// Makes the detection of boot loops count a machine's boots from zero. Call it when the daemon changes the machine's power, and
import type { NetworkBootServices } from './services.ts';
// when the machine's ramdisk has reported.

export function expectFirstBoot({ db, bootLoops }: NetworkBootServices, node: string): void {
  for (const { address } of db.ports.ofNode(node)) bootLoops.forget(address);
}
