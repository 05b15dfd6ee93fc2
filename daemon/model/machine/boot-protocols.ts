// How a machine boots from the network: with which boot loader, and how its firmware fetches that.

/**
 * `ipxe`: PXE firmware fetches iPXE by TFTP, which fetches the rest by HTTP. `pxe`: pxelinux (BIOS) or the signed shim and
 * GRUB (UEFI), all by TFTP. `http-ipxe` and `http`: the same for UEFI firmware that boots by HTTP.
 */
export const bootProtocols = ['ipxe', 'pxe', 'http-ipxe', 'http'] as const;
export type BootProtocol = (typeof bootProtocols)[number];
