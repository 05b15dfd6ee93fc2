// The text that `ironic-pxe-filter --help` prints and that its manual page contains.
export const FILTER_USAGE = `usage: ironic-pxe-filter COMMAND [--config-file FILE]

  serve   keep dnsmasq's host files in line with the records of ironic-edge, until SIGTERM or SIGINT
  purge   delete the host files of removed machines and update the others; run it before dnsmasq starts
  help    show this text

With these files, dnsmasq answers nodes in inspection. It answers unknown machines while any node is in inspection, and always
with [auto_discovery] enabled or [zero_touch] bmc_networks. With [dhcp] dhcp_provider = dnsmasq, it also answers nodes that boot
something from the network. It ignores all other machines. [pxe_filter] dhcp_hostsdir and dhcp-hostsdir of dnsmasq must name the same directory, which holds
the files. This program only reads the database of ironic-edge, and can do so while the daemon is down. dnsmasq does not forget
a file that is deleted while it runs, so serve deletes none.

  --config-file FILE  as for ironic-edge serve: without it, IRONIC_CONFIG_FILE, /etc/ironic-edge/ironic.conf or
                      /etc/ironic/ironic.conf

The exit code is 2 for wrong arguments and 1 for any other failure.
`;
