// The control file of the package.

/**
 * Node.js uses the libraries, systemd creates the user and the directories, and the certificates verify image servers.
 * Perl, which with-notify, with-sockets and bind-socket need, is part of every Debian.
 */
const DEPENDS = ['ca-certificates', 'libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 11)', 'systemd (>= 252)'];
/** A placeholder, because each site builds its own package. */
export const MAINTAINER = 'ironic-edge <ironic-edge@localhost>';
/** To follow network interfaces (iproute2), for IPMI (ipmitool), boot loaders (ipxe, shim-signed), image formats (qemu-utils), signatures of images (gpgv), config drives and boot CDs (xorriso). */
const RECOMMENDS = ['gpgv', 'iproute2', 'ipmitool', 'ipxe', 'qemu-utils', 'shim-signed', 'xorriso'];

export interface ControlFacts {
  readonly version: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly kibibytes: number;
}

export const controlFile = ({
  version,
  architecture,
  kibibytes,
}: ControlFacts): string => `Package: ironic-edge
Version: ${version}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${kibibytes}
Depends: ${DEPENDS.join(', ')}
Recommends: ${RECOMMENDS.join(', ')}
Suggests: debootstrap, dnsmasq-base, socat
Section: net
Priority: optional
Description: bare metal provisioning for one site
 One daemon that provisions the machines of one site. It speaks the Bare Metal
 (Ironic) REST API, and serves DHCP, TFTP and HTTP to machines that boot.
 The package brings its own Node.js.
`;
