// How a machine boots from the network: which boot loader it uses, and how its firmware fetches the boot loader.

/**
 * `ipxe`: PXE firmware fetches iPXE by TFTP, which fetches the rest by HTTP. `pxe`: pxelinux (BIOS) or the signed shim and
 * GRUB (UEFI), all by TFTP. `http-ipxe` and `http`: the same for UEFI firmware that boots by HTTP.
 */
export const bootProtocols = ['ipxe', 'pxe', 'http-ipxe', 'http'] as const;
export type BootProtocol = (typeof bootProtocols)[number];
