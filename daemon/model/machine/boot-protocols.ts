// How a machine boots from the network: which boot loader it uses, and how its firmware fetches the boot loader.

/**
 * `ipxe`: PXE firmware fetches iPXE by TFTP, and iPXE fetches the rest by HTTP. `pxe`: pxelinux (BIOS) or the signed shim and
 * GRUB (UEFI), all by TFTP. `http-ipxe` and `http`: iPXE, or shim and GRUB, all by HTTP, for UEFI firmware with HTTP boot.
 */
export const bootProtocols = ['ipxe', 'pxe', 'http-ipxe', 'http'] as const;
export type BootProtocol = (typeof bootProtocols)[number];
