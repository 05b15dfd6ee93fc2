// Checks the root device hints of a deployment before the ramdisk boots; the agent would report an invalid hint only much later.
import { diskTest, type Task } from '#plugin-api';

/** Checks the hints in `instance_info`, or else those in `properties`, as the agent does. Throws InvalidParameter. */
export function checkRootDevice({ node: { instance_info, properties } }: Task): void {
  const ofInstance = isGiven(instance_info['root_device']);
  const hints = (ofInstance ? instance_info : properties)['root_device'];
  if (isGiven(hints)) diskTest(`${ofInstance ? 'instance_info' : 'properties'}/root_device`, hints ?? null);
}

const isGiven = (hints: unknown): boolean =>
  hints !== undefined && hints !== null && JSON.stringify(hints) !== '{}';
