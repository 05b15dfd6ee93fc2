// Decides what a machine that sends a DHCP request boots from the daemon's servers, if anything.
import type { Config } from '../config/sections/core-sections.ts';
import type { Database } from '../db/database.ts';
import { statesThat } from '../model/states/provision-states.ts';
import { type BootChoice, type BootQuestion, firstBootFile } from './boot-choice.ts';
import type { NetworkBoots } from './network-boots.ts';
import { UNKNOWN_SCRIPT } from './scripts/ipxe.ts';
import type { ServedFiles } from './served-files.ts';

/** Whether a machine without a node may be the one that an inspection waits for, or is to be discovered. */
export const expectsUnknown = (
  { auto_discovery: discovery }: Pick<Config, 'auto_discovery'>,
  { nodes }: Pick<Database, 'nodes'>,
): boolean => discovery.enabled || nodes.countInStates(statesThat('inspectionReport')) > 0;

interface Site {
  readonly networkBoots: Pick<NetworkBoots, 'of' | 'httpUrl'>;
  readonly served: Pick<ServedFiles, 'find'>;
}

/**
 * A node boots what its boot interface has prepared. Without that it boots nothing from here, like an unknown machine for
 * which there is no ramdisk: its firmware gets no answer and tries the next boot device.
 */
export function whatBoots(question: BootQuestion, { networkBoots, served }: Site): BootChoice | undefined {
  const { node } = question;
  const boot = node && networkBoots.of(node.uuid);
  if (node === undefined ? served.find(UNKNOWN_SCRIPT) === undefined : boot === undefined) return undefined;
  return firstBootFile(question, networkBoots.httpUrl, boot?.protocol);
}
