// Sets the DHCP boot options of a machine. Firmware gets driver_info/boot_file, which is a TFTP path or a URL.
import { defineBoot, type DhcpOption, driverInfoText } from '#plugin-api';

const SERVER = '192.0.2.135';
const TFTP: readonly DhcpOption[] = [
  { name: 'tftp-server-name', value: SERVER },
  { name: 'tftp-server-address', value: SERVER },
  { name: 'server-ip-address', value: SERVER },
];

export const managedBoot = defineBoot({
  properties: { boot_file: { description: 'What firmware loads.' } },
  validate() {},
  prepareRamdisk(task) {
    const file = driverInfoText(task.node, 'boot_file', 'snponly.efi');
    const isUrl = file.startsWith('http:');
    return task.boot.dhcp.update([
      { name: 'bootfile-name', value: file, client: 'firmware' },
      { name: 'bootfile-name', value: `http://${SERVER}/boot.ipxe`, client: 'ipxe' },
      ...(isUrl ? [{ name: 'vendor-class', value: 'HTTPClient' } as const] : TFTP),
    ]);
  },
  cleanUpRamdisk: (task) => task.boot.dhcp.clean(),
});
