// DHCP options that a boot interface sets for the machine of a task.

/** One DHCP option, for the boot firmware of the node's machine or for iPXE when it runs there. */
export interface DhcpOption {
  /**
   * `bootfile-name` (67) is a path for TFTP or a URL, `tftp-server-name` (66) a name or an address,
   * `tftp-server-address` (150) and `server-ip-address` (siaddr) an IPv4 address, `vendor-class` (60) the text that
   * UEFI HTTP boot expects (`HTTPClient`). `bootfile-url` (59) is DHCPv6, all others are DHCPv4.
   */
  readonly name:
    | 'bootfile-name'
    | 'bootfile-url'
    | 'server-ip-address'
    | 'tftp-server-address'
    | 'tftp-server-name'
    | 'vendor-class';
  /** Null if not configured: the option is left out, and a warning is logged. */
  readonly value: string | null;
  /** The client that gets the option: iPXE, or the firmware that loads iPXE; both when absent. */
  readonly client?: 'ipxe' | 'firmware';
}

/**
 * DHCP for the node's ports with `pxe_enabled`, from the provider in `[dhcp] dhcp_provider`. With `none`, the daemon's own DHCP
 * server answers if `[dhcp_server]` has a subnet. Otherwise an external server answers: calls then do nothing, and no addresses
 * are known. All methods throw DhcpFailed when the files of dnsmasq cannot be read or written.
 */
export interface Dhcp {
  /**
   * Answers the ports with these options, which replace all earlier ones. Throws DhcpOptionInvalid, with nothing
   * changed, for an invalid value.
   */
  update(options: readonly DhcpOption[]): Promise<void>;
  /**
   * Withdraws the options: dnsmasq then ignores the ports, and the daemon's own server names no boot file to them. Harmless if
   * `update` was not called.
   */
  clean(): Promise<void>;
  /** Returns the IP addresses leased to the ports. */
  ipAddresses(): Promise<readonly string[]>;
}
