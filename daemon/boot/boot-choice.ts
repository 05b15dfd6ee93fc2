// Chooses the boot loader or script that a machine gets first: by the program that asks, and by the boot interface of
// the machine's node. Pure.
import type { BootProtocol } from '../model/machine/boot-protocols.ts';
import type { Architecture, Client } from './dhcp/client.ts';

/** How DHCP names the boot file to the client. */
export type BootChoice =
  | {
      readonly kind: 'tftp';
      readonly file: string;
      /** Not set: the DHCP server's own address. */
      readonly nextServer?: number;
    }
  | { readonly kind: 'http'; readonly url: string };

export const bootFileOf = (boot: BootChoice): string => (boot.kind === 'http' ? boot.url : boot.file);

/** What DHCP knows of a node that boots. */
export interface BootingNode {
  readonly uuid: string;
  readonly secureBoot: boolean;
}

export interface BootQuestion {
  readonly client: Client;
  /** Undefined for a machine that is not enrolled. */
  readonly node: BootingNode | undefined;
  readonly serverAddress: string;
}

/** Returns undefined when there is nothing to boot: firmware then gets no answer, and boots from its disk. */
export type BootFor = (question: BootQuestion) => BootChoice | undefined;

type Loader = 'ipxe' | 'grub';

// firmware that does not boot by HTTP gets the same loader by TFTP
const LOADER: Readonly<Record<BootProtocol, Loader>> = {
  ipxe: 'ipxe',
  'http-ipxe': 'ipxe',
  pxe: 'grub',
  http: 'grub',
};

/** The file names that Debian's packages and Ironic use; Ironic has none for iPXE on aarch64. */
const UEFI_LOADERS: Readonly<Record<Loader, Readonly<Record<Architecture, string>>>> = {
  ipxe: { x86_64: 'snponly.efi', aarch64: 'snponly-arm64.efi' },
  grub: { x86_64: 'bootx64.efi', aarch64: 'bootaa64.efi' },
};
const BIOS_LOADERS: Readonly<Record<Loader, string>> = { ipxe: 'undionly.kpxe', grub: 'pxelinux.0' };

/** `httpUrl`: the base URL of the boot files, `http://10.0.0.1:8080`; undefined without an HTTP server. */
export function firstBootFile(
  { client, node }: BootQuestion,
  httpUrl: string | undefined,
  protocol: BootProtocol = 'ipxe',
): BootChoice | undefined {
  const loader = LOADER[protocol];
  if (client.stage === 'os') return undefined;
  if (client.stage === 'ipxe' && loader === 'ipxe') return byHttp(httpUrl, 'boot.ipxe');
  const file = loaderFile(client, loader, node?.secureBoot === true);
  return client.stage === 'uefi-http' ? byHttp(httpUrl, file) : { kind: 'tftp', file };
}

const byHttp = (httpUrl: string | undefined, file: string): BootChoice | undefined =>
  httpUrl === undefined ? undefined : { kind: 'http', url: `${httpUrl}/${file}` };

function loaderFile(client: Client, loader: Loader, secureBoot: boolean): string {
  const { firmware = 'bios', architecture = 'x86_64' } = client;
  if (firmware === 'bios') return BIOS_LOADERS[loader];
  // under Secure Boot the firmware starts the signed shim, but not iPXE, which is not signed
  return UEFI_LOADERS[secureBoot ? 'grub' : loader][architecture];
}
