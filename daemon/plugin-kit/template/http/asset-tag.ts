// The hook `acme-asset-tag`, which copies a machine's reported serial number to the asset tag in its node's properties.
import { defineHook, isJsonObject } from '#plugin-api';

export const assetTag = defineHook({
  call({ inventory, node }) {
    const maker = inventory['system_vendor'];
    const serial = isJsonObject(maker) ? maker['serial_number'] : undefined;
    if (typeof serial === 'string' && serial !== '') node.properties['asset_tag'] = serial;
  },
});
