// Files that boot loaders look for and do without: that one is not served is no failure of a boot.

/** iPXE, shim (revocations, certificates of its own) and GRUB (lists of its modules) ask for them before anything else. */
export function isOptional(name: string): boolean {
  const file = name.slice(name.lastIndexOf('/') + 1);
  return (
    file === 'autoexec.ipxe' ||
    (file.endsWith('.efi') && (file.startsWith('revocations') || file.startsWith('shim_certificate'))) ||
    (file.endsWith('.lst') && name.includes('-efi/'))
  );
}
