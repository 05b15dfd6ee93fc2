// Records the vendor of the machine when its node is verified.
import { type JsonObject, type Step } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { textIn } from '../bmc/fields.ts';

export const vendorSteps: Readonly<Record<'record_vendor', Step>> = {
  record_vendor: {
    description: "Records the machine's vendor in properties/vendor unless one is there already.",
    priorities: { verify: 2 },
    requiresRamdisk: false,
    async run(task) {
      if (textIn(task.node.properties['vendor']) !== undefined) return 'done';
      const vendor = await converse(task, { operation: 'Reading the vendor' }, async (bmc) =>
        vendorIn(await bmc.root(), await bmc.knownSystem()),
      );
      if (vendor !== undefined) await task.update({ properties: { ...task.node.properties, vendor } });
      return 'done';
    },
  },
};

function vendorIn(
  { Vendor: vendor }: JsonObject,
  { Manufacturer: manufacturer }: JsonObject,
): string | undefined {
  return (textIn(vendor) ?? textIn(manufacturer))?.trim();
}
