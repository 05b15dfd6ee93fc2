// The options that ironic-pxe-filter goes by.
import { flag, list, pathOrNull, seconds, section } from './typed-options.ts';

export const pxeFilterSections = {
  auto_discovery: section({
    enabled: flag(
      false,
      'Whether ironic-pxe-filter lets machines that no port is known of boot at any time; else only while a node is inspected.',
    ),
  }),
  pxe_filter: section({
    dhcp_hostsdir: pathOrNull(
      'The directory that ironic-pxe-filter keeps host files in, and that dhcp-hostsdir of dnsmasq names; it must exist before either starts.',
    ),
    supported_inspect_interfaces: list(
      ['agent'],
      'The inspect interfaces whose nodes ironic-pxe-filter lets boot while they are inspected.',
    ),
    sync_period: seconds(
      45,
      1,
      'The time in seconds between two complete comparisons of records and host files; changes of the records are acted on at once.',
    ),
  }),
};
