// `properties/capabilities`: pairs in one string, `boot_mode:uefi,cpu_vt:true`.
import { type InspectionDraft, InspectionError } from '#plugin-api';
import { shown } from './shown.ts';

/** Sets these capabilities and keeps the others and their order. Throws InspectionError when what is there is malformed. */
export function setCapabilities({ node }: InspectionDraft, found: ReadonlyMap<string, string>): void {
  const { capabilities = '' } = node.properties;
  const pairs = typeof capabilities === 'string' ? capabilities.split(',').filter((pair) => pair !== '') : [];
  const isWrong = typeof capabilities !== 'string' && capabilities !== null;
  if (isWrong || pairs.some((pair) => !pair.includes(':'))) {
    throw new InspectionError(
      `properties/capabilities of the node is ${shown(capabilities)}, expected name:value pairs separated by commas`,
    );
  }
  const known = pairs.map((pair): [string, string] => {
    const colon = pair.indexOf(':');
    return [pair.slice(0, colon), pair.slice(colon + 1)];
  });
  node.properties['capabilities'] = [...new Map([...known, ...found])]
    .map((pair) => pair.join(':'))
    .join(',');
}
