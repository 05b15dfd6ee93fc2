// The control file of the package.

/** For the libraries of Node.js, the user and directories (systemd), and the certificates of image servers. Debian always has Perl. */
const DEPENDS = ['ca-certificates', 'libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 11)', 'systemd (>= 252)'];
/** A placeholder, because each site builds its own package. */
export const MAINTAINER = 'ironic-edge <ironic-edge@localhost>';
/** Packages that enable one part each: IPMI, boot loaders, config drives, image formats. */
const RECOMMENDS = ['ipmitool', 'ipxe', 'qemu-utils', 'shim-signed', 'xorriso'];

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
