// Files that boot loaders ask for but can do without: when such a file is not served, that is no failure of the boot.

/** iPXE, shim (revocations and additional certificates) and GRUB (lists of its modules) ask for these files before all others. */
export function isOptional(name: string): boolean {
  const file = name.slice(name.lastIndexOf('/') + 1);
  return (
    file === 'autoexec.ipxe' ||
    (file.endsWith('.efi') && (file.startsWith('revocations') || file.startsWith('shim_certificate'))) ||
    (file.endsWith('.lst') && name.includes('-efi/'))
  );
}
