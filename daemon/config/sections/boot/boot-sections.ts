// The listeners on the provisioning network: files that machines boot from, and the API of booted ramdisks.
import { flag, integer, integerOrNull, pathOrNull, section, text, tlsVersion } from '../typed-options.ts';

const PORT = { minimum: 0, maximum: 65535 };

export const bootSections = {
  boot_http: section({
    port: integerOrNull(
      PORT,
      'The TCP port of the HTTP server for boot loaders, kernels, ramdisks and images; 0: any free port. Not set: this server does not run, unless systemd passes the daemon a socket named boot-http; such a socket takes precedence over host_ip and port.',
    ),
    host_ip: text(
      '$my_ip',
      'The address that the boot HTTP server listens on; 0.0.0.0 or :: for all addresses.',
    ),
    max_connections: integer(
      1024,
      { minimum: 1 },
      'The maximum number of open connections to the boot HTTP server. A further one takes the place of one that its client does not use, or of a client with many connections; if there is none, it is closed at once.',
    ),
    max_connections_per_client: integer(
      32,
      { minimum: 1 },
      'The maximum number of connections to the boot HTTP server from one network address. Raise it where machines reach the server through an address translation or a proxy.',
    ),
  }),
  ramdisk: section({
    port: integerOrNull(
      PORT,
      'The TCP port of a listener that serves ramdisks only: lookup, heartbeat and continue_inspection. With it, the API need not be on the provisioning network; see also [api] enable_ramdisk_endpoints. 0: any free port, for which [service_catalog] endpoint_override must name the URL. Not set: ramdisks use the listener of the API.',
    ),
    host_ip: text(
      '$my_ip',
      'The address that the listener for ramdisks listens on; 0.0.0.0 or :: for all addresses.',
    ),
    enable_ssl_api: flag(
      false,
      'Whether the listener for ramdisks uses TLS; this requires cert_file and key_file.',
    ),
    cert_file: pathOrNull(
      'The certificate of the listener for ramdisks with its chain (PEM). Changes of certificate and key take effect at once; open connections stay.',
    ),
    key_file: pathOrNull(
      'The private key of cert_file (PEM). Other users of this host must not have access to it.',
    ),
    tls_minimum_version: tlsVersion('The oldest TLS version that the listener for ramdisks accepts.'),
  }),
};
