// Decides what a machine that sends a DHCP request boots from the daemon's servers, if anything.
import { wantsUnknownMachines } from '../model/zero-touch/unknown-machines.ts';
import type { Database } from '../db/database.ts';
import { hasFastTrack } from '../model/machine/fast-track.ts';
import { permissionIn, statesThat } from '../model/states/provision-states.ts';
import { type BootChoice, type BootQuestion, firstBootFile } from './boot-choice.ts';
import type { NetworkBoots } from './network-boots.ts';
import { choiceOfOptions } from './provider/own-dhcp-provider.ts';
import { UNKNOWN_SCRIPT } from './scripts/ipxe.ts';
import type { ServedFiles } from './served-files.ts';

/**
 * Whether machines that no port identifies may boot: unknown machines are wanted, or a node waits for an inspection report. Such a
 * machine may be that node's, because ports are often unknown before the first inspection.
 */
export const expectsUnknown = (
  config: Parameters<typeof wantsUnknownMachines>[0],
  db: Pick<Database, 'nodes'>,
): boolean => wantsUnknownMachines(config) || awaitsReport(db);

export const awaitsReport = ({ nodes }: Pick<Database, 'nodes'>): boolean =>
  nodes.countInStates(statesThat('inspectionReport')) > 0;

interface Site {
  readonly networkBoots: Pick<NetworkBoots, 'of' | 'httpUrl'>;
  readonly served: Pick<ServedFiles, 'find'>;
  readonly nodes: Pick<Database['nodes'], 'get'>;
  /** The value of `[deploy] fast_track`. */
  readonly fastTrack: boolean;
}

/**
 * A machine that no port identifies boots the ramdisk of unknown machines, if one is served. A node boots what its boot interface
 * has prepared: files of this daemon, or a file that the interface named in DHCP options. With fast track, an idle node for which
 * nothing is prepared also boots the ramdisk of unknown machines: its agent looks the node up and waits for work. Otherwise the
 * machine's firmware gets no answer and tries the next boot device.
 */
export function whatBoots(
  question: BootQuestion,
  { networkBoots, served, nodes, fastTrack }: Site,
): BootChoice | undefined {
  const { node } = question;
  const { httpUrl } = networkBoots;
  const unknown = () =>
    served.find(UNKNOWN_SCRIPT) === undefined ? undefined : firstBootFile(question, httpUrl);
  if (node === undefined) return unknown();
  const boot = networkBoots.of(node.uuid);
  if (boot !== undefined) return firstBootFile(question, httpUrl, boot.protocol);
  const record = nodes.get(node.uuid);
  const options = record?.driver_internal_info.dhcp_options;
  if (options !== undefined) return choiceOfOptions(options, question);
  const isIdle = record !== undefined && permissionIn(record.provision_state, 'lookup') === 'fast-track';
  return isIdle && hasFastTrack(record, fastTrack) ? unknown() : undefined;
}
