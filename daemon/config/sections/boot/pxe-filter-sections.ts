// Which machines may boot the inspection ramdisk, and how unknown machines are enrolled.
import { flag, integer, list, pathOrNull, seconds, section, textOrNull } from '../typed-options.ts';

export const pxeFilterSections = {
  auto_discovery: section({
    enabled: flag(
      false,
      'Whether unknown machines are enrolled as nodes when their ramdisk reports, and may network-boot at any time. Off: ironic-pxe-filter lets them boot only while some node is being inspected.',
    ),
    driver: textOrNull('The hardware type of discovered nodes; required when enabled is true.'),
    max_enrolled_nodes: integer(
      200,
      { minimum: 0 },
      'The maximum number of discovered nodes in state enroll. Further machines get 503 and try again until an operator manages or deletes some of these nodes. Anyone on the provisioning network can report machines, so this limits how far they can fill the database. 0: no limit.',
    ),
  }),
  pxe_filter: section({
    dhcp_hostsdir: pathOrNull(
      'The directory for the host files of ironic-pxe-filter; set dhcp-hostsdir in dnsmasq to the same path. It must exist before ironic-pxe-filter and dnsmasq start.',
    ),
    supported_inspect_interfaces: list(
      ['agent'],
      'The inspect interfaces whose nodes ironic-pxe-filter lets boot during inspection. Add inspector only if the ironic-inspector service has no PXE filter of its own (its [pxe_filter] driver is noop): two filters would contradict each other.',
    ),
    sync_period: seconds(
      45,
      1,
      'The time in seconds between two full comparisons of the database with the host files. Changes in the database take effect at once.',
    ),
  }),
};
