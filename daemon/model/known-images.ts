// Images that distributions publish, for `ironic-edge image add`. Generic images, where there are any: images for clouds only lack
// the drivers of real machines.

export const architectures = ['x86_64', 'aarch64'] as const;
export type ImageArchitecture = (typeof architectures)[number];

/** How distributions call an architecture: `x86_64` and `aarch64`, or as here. */
const debianNames = { x86_64: 'amd64', aarch64: 'arm64' } as const;

interface Place {
  /** The path of the image below `mirror`. */
  readonly image: string;
  /** The path of the file with its checksum below `mirror`. */
  readonly checksum: string;
  /**
   * What is signed, and where the signature is: `signature`, a path below `mirror`, is that of `checksum`; or the file at `checksum`
   * is clear-signed. Not set: the publisher signs nothing.
   */
  readonly signed?: { readonly checksum: string; readonly signature: string | null };
}

export interface KnownImage {
  /** The URL that `image add --mirror` replaces, without a slash at its end. */
  readonly mirror: string;
  readonly place: (architecture: ImageArchitecture) => Place;
  readonly loginUser: string;
  readonly description: string;
}

/** The signature is in a file of its own beside the checksum file. */
const detached = (checksum: string, suffix: string): Pick<Place, 'checksum' | 'signed'> => ({
  checksum,
  signed: { checksum, signature: `${checksum}${suffix}` },
});

function debian(version: number, codename: string): KnownImage {
  const folder = `${codename}/latest`;
  return {
    mirror: 'https://cloud.debian.org/images/cloud',
    place: (architecture) => ({
      image: `${folder}/debian-${version}-generic-${debianNames[architecture]}.qcow2`,
      checksum: `${folder}/SHA512SUMS`,
    }),
    loginUser: 'debian',
    description: `Debian ${version}`,
  };
}

function fedora(version: number, compose: string): KnownImage {
  return {
    mirror: 'https://dl.fedoraproject.org/pub/fedora/linux',
    place(architecture) {
      const folder = `releases/${version}/Cloud/${architecture}/images`;
      const checksum = `${folder}/Fedora-Cloud-${compose}-${architecture}-CHECKSUM`;
      return {
        image: `${folder}/Fedora-Cloud-Base-Generic-${compose}.${architecture}.qcow2`,
        checksum,
        signed: { checksum, signature: null },
      };
    },
    loginUser: 'fedora',
    description: `Fedora ${version}`,
  };
}

function rocky(version: number): KnownImage {
  return {
    mirror: 'https://dl.rockylinux.org/pub/rocky',
    place(architecture) {
      const image = `${version}/images/${architecture}/Rocky-${version}-GenericCloud-Base.latest.${architecture}.qcow2`;
      return { image, checksum: `${image}.CHECKSUM` };
    },
    loginUser: 'rocky',
    description: `Rocky Linux ${version}`,
  };
}

function alma(version: number): KnownImage {
  return {
    mirror: 'https://repo.almalinux.org/almalinux',
    place(architecture) {
      const folder = `${version}/cloud/${architecture}/images`;
      return {
        image: `${folder}/AlmaLinux-${version}-GenericCloud-latest.${architecture}.qcow2`,
        ...detached(`${folder}/CHECKSUM`, '.asc'),
      };
    },
    loginUser: 'almalinux',
    description: `AlmaLinux ${version}`,
  };
}

export const knownImages: ReadonlyMap<string, KnownImage> = new Map(
  Object.entries<KnownImage>({
    'debian-12': debian(12, 'bookworm'),
    'debian-13': debian(13, 'trixie'),
    'ubuntu-24.04': {
      mirror: 'https://cloud-images.ubuntu.com',
      place: (architecture) => ({
        image: `releases/noble/release/ubuntu-24.04-server-cloudimg-${debianNames[architecture]}.img`,
        ...detached('releases/noble/release/SHA256SUMS', '.gpg'),
      }),
      loginUser: 'ubuntu',
      description: 'Ubuntu 24.04 LTS',
    },
    'fedora-43': fedora(43, '43-1.6'),
    'rocky-9': rocky(9),
    'rocky-10': rocky(10),
    'alma-9': alma(9),
    'alma-10': alma(10),
    'opensuse-leap-15.6': {
      mirror: 'https://download.opensuse.org',
      place(architecture) {
        const image = `distribution/leap/15.6/appliances/openSUSE-Leap-15.6-Minimal-VM.${architecture}-Cloud.qcow2`;
        return { image, ...detached(`${image}.sha256`, '.asc') };
      },
      loginUser: 'opensuse',
      description: 'openSUSE Leap 15.6',
    },
    flatcar: {
      mirror: 'https://stable.release.flatcar-linux.net',
      place(architecture) {
        const image = `${debianNames[architecture]}-usr/current/flatcar_production_openstack_image.img`;
        const signed = { checksum: `${image}.DIGESTS.asc`, signature: null };
        return { image, checksum: `${image}.DIGESTS`, signed };
      },
      loginUser: 'core',
      description: 'Flatcar Container Linux, the stable channel',
    },
  }),
);

/** The record of the image in the catalogue. `base`: the URL of a mirror, without a slash at its end; else the publisher's own. */
export function knownImageRecord(
  system: string,
  { mirror, place, loginUser, description }: KnownImage,
  {
    architecture,
    base = mirror,
  }: { readonly architecture: ImageArchitecture; readonly base?: string | undefined },
) {
  const { image, checksum } = place(architecture);
  return {
    name: architecture === 'x86_64' ? system : `${system}-${architecture}`,
    source: `${base}/${image}`,
    checksum: `${base}/${checksum}`,
    architecture,
    login_user: loginUser,
    description,
  };
}

/** The URL of a mirror without a slash at its end; undefined for a text that is no http or https URL of a folder. */
export function mirrorUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const isFolder = url !== null && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}` === '';
  return isFolder ? text.replace(/\/$/, '') : undefined;
}
