// The Debian packages that the agent's ramdisk consists of, and which of their files a ramdisk never uses.

export const AGENT_PACKAGE = 'ironic-python-agent';

export const COMPONENTS = 'main,non-free-firmware';

export const debianArchitectures = { x64: 'amd64', arm64: 'arm64' } as const;
export type DebianArchitecture = (typeof debianArchitectures)[keyof typeof debianArchitectures];

export function hostArchitecture(): DebianArchitecture {
  const { arch } = process;
  if (arch === 'x64' || arch === 'arm64') return debianArchitectures[arch];
  throw new Error(`expected a host of x86_64 or aarch64, this one is ${arch}`);
}

/** `linux-image-cloud` cannot be used: it lacks AHCI, IPMI and most network cards. */
export const kernelPackage = (architecture: DebianArchitecture): string => `linux-image-${architecture}`;

/** The programs that the agent and the ramdisk's init call. util-linux-extra has hwclock, bsdextrautils hexdump. */
export const programPackages: readonly string[] = `
  kmod udev systemd-sysv dbus iproute2 iputils-ping isc-dhcp-client procps psmisc less tar gzip curl ca-certificates file
  util-linux util-linux-extra fdisk bsdextrautils lshw dmidecode pciutils parted gdisk dosfstools e2fsprogs xfsprogs mdadm
  hdparm smartmontools nvme-cli sg3-utils lsscsi efibootmgr ipmitool openipmi qemu-utils ethtool chrony python3-setuptools
  openssh-server sudo login passwd`
  .trim()
  .split(/\s+/);

/** Firmware without which common network cards and disk controllers of servers do not work. */
export const firmwarePackages: readonly string[] = [
  'firmware-bnx2',
  'firmware-bnx2x',
  'firmware-intel-misc',
  'firmware-misc-nonfree',
  'firmware-qlogic',
];

/**
 * Dependencies of the agent's package that serve image building, burn-in steps or services that do not run here. With
 * them the ramdisk would hold some 270 packages more, among them virtualisation and graphics.
 */
export const leftOut: ReadonlySet<string> = new Set([
  'libguestfs-tools',
  'python3-guestfs',
  'python3-libvirt',
  'infiniband-diags',
  'iptables',
  'open-iscsi',
  'lldpad',
  'man-db',
  'git',
  'rsync',
  'fio',
  'stress-ng',
  'sysbench',
  'tuned',
  'python3-kazoo',
]);

/** Paths that dpkg does not unpack. */
export const neverUnpacked: readonly string[] = ['doc', 'man', 'locale', 'info'].map(
  (folder) => `/usr/share/${folder}/*`,
);

/** Deleted from the finished tree; patterns of `fs.globSync`. */
export const deleted: readonly string[] = [
  'boot/*',
  'dev/*',
  'run/*',
  'tmp/*',
  'srv/*',
  'var/cache/*',
  'var/log/*',
  'var/tmp/*',
  'var/lib/apt/*',
  'var/lib/dpkg/info/*',
  'etc/ssh/ssh_host_*',
  'etc/machine-id',
  'etc/resolv.conf',
  'usr/share/{doc,man,locale,info,i18n,bash-completion,ieee-data,python-babel-localedata,babel*,perl*}',
  'usr/lib/*-linux-gnu/{perl*,gconv,libperl*,libicudata.so.*}',
  'usr/bin/{perl*,qemu-storage-daemon,qemu-nbd}',
  'usr/lib/python3*/{test,idlelib,ensurepip}',
  'usr/lib/python3/dist-packages/*/tests',
  // udev reads hwdb.bin, which is made from the files in hwdb.d; vpu is firmware of desktop processors
  'usr/lib/{udev/hwdb.d,firmware/intel/vpu}',
  // kernel modules for hosting virtual machines, for hardware that servers lack, and for protocols and file systems not used here
  'usr/lib/modules/*/{kernel/sound,kernel/virt,kernel/net/{bluetooth,mac80211,wireless,nfc,can,batman-adv,sctp,tipc}}',
  'usr/lib/modules/*/kernel/arch/*/kvm',
  'usr/lib/modules/*/kernel/fs/{ceph,smb,nfs,nfsd,ocfs2,gfs2,afs,coda,jfs,reiserfs,ubifs,jffs2,orangefs,9p}',
  'usr/lib/modules/*/kernel/drivers/{gpu,media,staging,iio,bluetooth,isdn,comedi,accel,nfc,w1,soundwire,slimbus}',
  'usr/lib/modules/*/kernel/drivers/{firewire,pcmcia,memstick,parport,mtd,android,gnss,ssb,bcma,leds,video,vhost}',
  'usr/lib/modules/*/kernel/drivers/net/{wireless,wwan,can,hamradio,ieee802154,plip,arcnet}',
  'usr/lib/modules/*/kernel/drivers/usb/gadget',
  'usr/lib/modules/*/kernel/drivers/input/{joystick,touchscreen,tablet}',
  'usr/lib/modules/*/{build,source}',
];
