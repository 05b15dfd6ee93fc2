// The part of the npm package dhcp that the daemon uses: its table of DHCP options. The module only builds the table.
declare module 'dhcp/lib/options.js' {
  interface ListedOption {
    readonly name: string;
    readonly type?: string;
    readonly enum?: Readonly<Record<string, string>>;
  }
  /** By code. The codes above 254 are settings of the package. */
  export const opts: Readonly<Record<string, ListedOption>>;
}
