// What a boot interface has DHCP say to the machine of a task.

/** What DHCP says to the boot firmware of the node's machine, and to iPXE once that runs there. */
export interface DhcpOption {
  /**
   * `bootfile-name` (67) is a path for TFTP or a URL, `tftp-server-name` (66) a name or an address, `tftp-server-address`
   * (150) and `server-ip-address` (siaddr) an IPv4 address, `vendor-class` (60) what UEFI HTTP boot wants to see
   * (`HTTPClient`). `bootfile-url` (59) is DHCPv6, all others are DHCPv4.
   */
  readonly name:
    | 'bootfile-name'
    | 'bootfile-url'
    | 'server-ip-address'
    | 'tftp-server-address'
    | 'tftp-server-name'
    | 'vendor-class';
  /** Null, which is for what is not configured: the option is left out, with a warning in the log. */
  readonly value: string | null;
  /** Who is told: iPXE, or the firmware that is to load it; both when absent. */
  readonly client?: 'ipxe' | 'firmware';
}

/**
 * DHCP for the node's ports with `pxe_enabled`, as `[dhcp] dhcp_provider` says. With `none` somebody else's server answers:
 * nothing is done and no address is known. All throw DhcpFailed.
 */
export interface Dhcp {
  /**
   * Lets the ports in and tells them these options, in the place of all that they were told before. Throws
   * DhcpOptionInvalid, with nothing changed, for a value that no option can have.
   */
  update(options: readonly DhcpOption[]): Promise<void>;
  /** The ports get no answer any more. Harmless when nothing was updated. */
  clean(): Promise<void>;
  /** The addresses that the ports were given. */
  ipAddresses(): Promise<readonly string[]>;
}
