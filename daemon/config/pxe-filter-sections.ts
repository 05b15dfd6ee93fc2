// Which machines may boot their ramdisk, and what becomes of those that nobody enrolled.
import { flag, integer, list, pathOrNull, seconds, section, textOrNull } from './typed-options.ts';

export const pxeFilterSections = {
  auto_discovery: section({
    enabled: flag(
      false,
      'Whether a machine that no record is known of becomes a node when its ramdisk reports, and whether ironic-pxe-filter lets such machines boot at any time; else only while a node is inspected.',
    ),
    driver: textOrNull('The hardware type of nodes that are discovered; needed when enabled is true.'),
    max_enrolled_nodes: integer(
      200,
      { minimum: 0 },
      'How many discovered nodes may be in state enroll at once. Further machines get 503 and try again, until an operator has managed or deleted some of them. Anyone on the provisioning network can report machines, so this bounds what they can fill the database with. 0: no limit.',
    ),
  }),
  pxe_filter: section({
    dhcp_hostsdir: pathOrNull(
      'The directory that ironic-pxe-filter keeps host files in, and that dhcp-hostsdir of dnsmasq names; it must exist before either starts.',
    ),
    supported_inspect_interfaces: list(
      ['agent'],
      'The inspect interfaces whose nodes ironic-pxe-filter lets boot while they are inspected. Add inspector only when the ironic-inspector service behind that interface has no PXE filter of its own (its [pxe_filter] driver is noop): two filters contradict each other.',
    ),
    sync_period: seconds(
      45,
      1,
      'The time in seconds between two complete comparisons of records and host files; changes of the records are acted on at once.',
    ),
  }),
};
