// What the BMC says of which machine this is.
import type { MachineIdentity, Task } from '#plugin-api';
import { ownChassis } from '../bmc/chassis.ts';
import { converse } from '../bmc/converse.ts';
import { textIn } from '../bmc/fields.ts';
import { macAddresses } from './mac-addresses.ts';

export const identifyByRedfish = (task: Task): Promise<MachineIdentity> =>
  converse(task, { operation: 'Reading which machine this is', length: 4 }, async (bmc) => {
    const system = await bmc.system();
    const { serialNumbersIn } = await bmc.remedies();
    const chassis = await ownChassis(bmc);
    const serials = ['SerialNumber', ...serialNumbersIn].map((name) => system[name]);
    const product = [system['Manufacturer'], system['Model']].flatMap((text) => textIn(text) ?? []);
    return {
      serialNumbers: [...serials, ...chassis.map((each) => each['SerialNumber'])].flatMap(
        (text) => textIn(text) ?? [],
      ),
      uuids: [system['UUID']].flatMap((text) => textIn(text) ?? []),
      macs: await macAddresses(bmc),
      product: product.length > 0 ? product.join(' ') : null,
    };
  });
