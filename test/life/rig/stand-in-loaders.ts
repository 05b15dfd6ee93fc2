// Where Debian has boot loaders, until the daemon knows it itself.

export const loaders: Readonly<Record<string, string>> = {
  'undionly.kpxe': '/usr/lib/ipxe/undionly.kpxe',
  'snponly.efi': '/usr/lib/ipxe/snponly.efi',
  'ipxe.efi': '/boot/ipxe.efi',
  'pxelinux.0': '/usr/lib/PXELINUX/pxelinux.0',
  'ldlinux.c32': '/usr/lib/syslinux/modules/bios/ldlinux.c32',
  'bootx64.efi': '/usr/lib/shim/shimx64.efi.signed',
  'grubx64.efi': '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed',
};
