// The hook `acme-asset-tag`: what a machine says is its serial number becomes its asset tag.
import { defineHook, isJsonObject } from '#plugin-api';

export const assetTag = defineHook({
  call({ inventory, node }) {
    const maker = inventory['system_vendor'];
    const serial = isJsonObject(maker) ? maker['serial_number'] : undefined;
    if (typeof serial === 'string' && serial !== '') node.properties['asset_tag'] = serial;
  },
});
