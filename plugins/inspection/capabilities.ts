// Sets capabilities in a node's `properties/capabilities`; several hooks use it.
import { type InspectionDraft, InspectionError, parseCapabilities, withCapability } from '#plugin-api';
import { shown } from './shown.ts';

/** Sets these capabilities and keeps the others. Throws InspectionError when the existing ones are malformed. */
export function setCapabilities({ node }: InspectionDraft, found: ReadonlyMap<string, string>): void {
  const capabilities = node.properties['capabilities'] ?? '';
  if (typeof capabilities !== 'string' || parseCapabilities(capabilities) === undefined) {
    throw new InspectionError(
      `properties/capabilities of the node is ${shown(capabilities)}, expected name:value pairs separated by commas`,
    );
  }
  node.properties['capabilities'] = [...found].reduce(
    (text, [name, value]) => withCapability(text, name, value),
    capabilities,
  );
}
