// A typical node of an operator: credentials, sizes, notes of its owner.

export const benchNode = (number: number, driver: string) => ({
  driver,
  name: `rack-${number >> 5}-node-${number}`,
  driver_info: {
    ipmi_address: `10.0.${number >> 8}.${number & 255}`,
    ipmi_username: 'admin',
    ipmi_password: 'correct horse',
    ipmi_cipher_suite: 3,
    deploy_kernel: 'http://192.0.2.1/ipa.kernel',
    deploy_ramdisk: 'http://192.0.2.1/ipa.initramfs',
  },
  properties: {
    cpus: 32,
    cpu_arch: 'x86_64',
    memory_mb: 262_144,
    local_gb: 900,
    capabilities: 'boot_mode:uefi',
  },
  extra: { rack: number >> 5, position: number & 31, asset_tag: `A-${number}` },
  resource_class: 'baremetal',
});
