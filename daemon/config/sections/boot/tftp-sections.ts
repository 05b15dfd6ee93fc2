// The TFTP server, and what it serves to machines that boot from the network.
import { imageCacheOptions } from '../image-options.ts';
import { flag, integer, list, pairs, section, text } from '../typed-options.ts';

export const tftpSections = {
  pxe: section({
    tftp_server: text('$my_ip', 'The address of the TFTP server that DHCP gives to machines.'),
    loader_file_paths: pairs(
      'pair',
      'The boot loaders that the TFTP server serves, as NAME:PATH, separated by commas: snponly.efi:/usr/lib/ipxe/snponly.efi. A name may contain /.',
    ),
    ...imageCacheOptions,
  }),
  tftp_server: section({
    enabled: flag(
      false,
      'Whether the daemon has a TFTP server. It serves the files of [pxe] loader_file_paths and those that machines need to boot. No other file can be read, and no file can be written.',
    ),
    addresses: list(
      ['$pxe.tftp_server'],
      'The IPv4 and IPv6 addresses of this host at which TFTP requests are answered; a reply comes from the address that was asked. Sockets called tftp that the service manager passes to the daemon replace addresses and port.',
    ),
    port: integer(
      69,
      { minimum: 0, maximum: 65_535 },
      'The UDP port that TFTP requests arrive at; 0: any free port. The files are sent from other ports.',
    ),
    max_transfers: integer(
      200,
      { minimum: 1, maximum: 10_000 },
      'The maximum number of simultaneous transfers; each needs two descriptors and up to 256 KiB of memory. Further requests are not answered, and the machines ask again.',
    ),
    max_transfers_per_client: integer(
      10,
      { minimum: 1, maximum: 10_000 },
      'The maximum number of simultaneous transfers to one address.',
    ),
    max_block_size: integer(
      1468,
      { minimum: 512, maximum: 65_464 },
      'The largest block size in bytes that the server agrees to; the default fills an Ethernet frame. If packets to the machines must be smaller, as in a tunnel, choose the MTU of the path minus 32.',
    ),
  }),
};
