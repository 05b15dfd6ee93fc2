// The core's options. Types, defaults, validation and the reference are all derived from these declarations.
// Names and units are Ironic's where Ironic has the option.
import { type Admitted, typed } from '../../lib/json/typed-schema.ts';
import { type InterfaceType, interfaceTypes } from '../../model/machine/interface-types.ts';
import { auditSection } from './audit-section.ts';
import { bootSections } from './boot/boot-sections.ts';
import { conductorSection } from './conductor-section.ts';
import { consoleSection } from './console-section.ts';
import { zeroTouchSection } from './zero-touch-section.ts';
import { deploySection } from './deploy-section.ts';
import { dhcpServerSection } from './boot/dhcp-server-section.ts';
import { dhcpSections } from './boot/dhcp-sections.ts';
import { diskUtilsSection, imageOptions, ociSection } from './image-options.ts';
import type { HostFacts } from '../machine.ts';
import { oidcSection } from './oidc-section.ts';
import type { SectionSource } from '../options.ts';
import { observeSections } from './observe-sections.ts';
import { pxeFilterSections } from './boot/pxe-filter-sections.ts';
import { ramdiskSections } from './ramdisk-sections.ts';
import type { SectionSchemas } from '../section-schema.ts';
import { tftpSections } from './boot/tftp-sections.ts';
import {
  flag,
  integer,
  list,
  networks,
  path,
  pathOrNull,
  seconds,
  section,
  text,
  textOrNull,
  tlsVersion,
} from './typed-options.ts';
import { usersSection } from './users-section.ts';
import { watchdogSection } from './watchdog-section.ts';

function forEveryInterfaceType<Name extends string, Option>(
  name: (type: InterfaceType) => Name,
  option: (type: InterfaceType) => Option,
): Record<Name, Option> {
  const entries = interfaceTypes.map((type) => [name(type), option(type)]);
  return Object.fromEntries(entries) as Record<Name, Option>;
}

const enabledInterfaces = forEveryInterfaceType(
  (type) => `enabled_${type}_interfaces` as const,
  (type) =>
    list(
      [],
      `The ${type} interfaces that nodes may use. Empty: all that the enabled hardware types support.`,
    ),
);

const defaultInterfaces = forEveryInterfaceType(
  (type) => `default_${type}_interface` as const,
  (type) =>
    textOrNull(
      `The ${type} interface of nodes that do not set ${type}_interface. Not set: the first enabled one of the hardware type${type === 'rescue' ? '; agent instead of no-rescue if [conductor] names a ramdisk' : ''}.`,
    ),
);

const autodetected = list(
  ['ramdisk', 'bootc', 'direct'],
  'The deploy interfaces from which autodetect chooses: the first that suits the node, or the last if none does. Only ramdisk, bootc, anaconda and ansible can be found to suit a node. All interfaces in the list must be enabled.',
);

const defaultSection = (machine: HostFacts) =>
  section({
    auth_strategy: typed<'noauth' | 'http_basic'>({
      type: 'string',
      enum: ['noauth', 'http_basic'],
      default: 'noauth',
      description:
        'How API clients are authenticated. noauth: not at all; anyone who can reach the API may use all of it. http_basic: by user and password; the ramdisk endpoints stay open.',
    }),
    http_basic_auth_user_file: path(
      '/etc/ironic/htpasswd',
      'The password file for http_basic: one user and bcrypt hash per line, as written by htpasswd -B. Changes take effect at once. Other users of this host must not have access to it.',
    ),
    host: text(machine.hostname, 'The name of this conductor in the API.'),
    my_ip: text(machine.address, 'The address at which nodes and their BMCs reach this host.'),
    debug: flag(false, 'Whether debug messages are logged.'),
    state_path: path(
      'state',
      'The directory for all files that the daemon writes, unless another option sets their path.',
    ),
    enabled_hardware_types: list(
      ['ipmi', 'manual-management', 'fake-hardware'],
      'The hardware types that nodes may use as driver.',
    ),
    enabled_drivers: list([], 'The classic drivers that nodes may use as driver. Empty: none.'),
    autodetect_deploy_interfaces: autodetected,
    ...enabledInterfaces,
    ...defaultInterfaces,
    default_resource_class: textOrNull('The resource class of nodes created without one. Not set: none.'),
    default_portgroup_mode: text('active-backup', 'The mode of portgroups created without one.'),
    default_conductor_group: text('', 'The conductor group of nodes created without one. Empty: none.'),
    log_in_db_max_size: integer(
      4096,
      { minimum: 1 },
      'The length in characters to which errors and other events are cut when they are recorded in the history or last_error of a node.',
    ),
    ...imageOptions,
  });

const disallowedSteps = (phase: string) =>
  list(
    ['vendor.send_raw'],
    `The steps, as INTERFACE.STEP, that a request to ${phase} a node may not include, directly or through a runbook. Empty: all steps are allowed.`,
  );

const apiSection = section({
  host_ip: text('127.0.0.1', 'The address that the API listens on; 0.0.0.0 or :: for all addresses.'),
  port: integer(
    6385,
    { minimum: 0, maximum: 65535 },
    'The TCP port that the API listens on; 0: any free port.',
  ),
  unix_socket: pathOrNull(
    "The path of a Unix socket that the API listens on instead of host_ip and port. The daemon's user and group may connect to it. Not set: host_ip and port are used.",
  ),
  enable_ssl_api: flag(false, 'Whether the API uses TLS; this requires cert_file and key_file.'),
  cert_file: pathOrNull(
    "The API's certificate with its chain (PEM). Changes of certificate and key take effect at once; open connections stay.",
  ),
  key_file: pathOrNull(
    'The private key of cert_file (PEM). Other users of this host must not have access to it.',
  ),
  tls_minimum_version: tlsVersion('The oldest TLS version that the API accepts.'),
  public_endpoint: textOrNull(
    'The base URL of links in replies. Not set: the scheme and host of the request. With [oslo_middleware] enable_proxy_headers_parsing, links are built from the headers of the proxy instead.',
  ),
  allowed_hosts: list(
    [],
    'Additional host names under which the API may be used when it has neither authentication nor TLS; * allows all. Always allowed: IP addresses, localhost, names that end with .localhost, [DEFAULT] host and the name of this host, each also without its domain, and the hosts of public_endpoint and [service_catalog] endpoint_override. Requests to any other name get 421, which protects against DNS rebinding by web pages.',
  ),
  max_limit: integer(1000, { minimum: 1 }, 'The maximum number of items on one page of a list.'),
  enable_ramdisk_endpoints: flag(
    true,
    'Whether ramdisks may call lookup, heartbeat and continue_inspection on the listener of the API. Off: they get 403 there. The listener of [ramdisk] always serves them.',
  ),
  restrict_lookup: flag(
    true,
    'Whether lookup finds only nodes in a state in which a ramdisk is expected to run.',
  ),
  ramdisk_heartbeat_timeout: seconds(
    300,
    1,
    'The maximum time in seconds between two heartbeats; ramdisks receive it in the reply to their lookup.',
  ),
  max_json_body_depth: integer(25, { minimum: 1 }, 'The maximum nesting depth of JSON in a request body.'),
  max_json_body_size: integer(1024, { minimum: 1 }, 'The maximum size of a request body, in KiB.'),
  max_json_record_size: integer(
    4096,
    { minimum: 1 },
    'The maximum total size of the client-writable JSON fields of one record (extra, properties, driver_info and the like), in KiB. A config drive does not count.',
  ),
  max_json_body_size_provision: integer(
    65_536,
    { minimum: 1 },
    'The maximum body size of a provision request, which may include a config drive, in KiB.',
  ),
  max_json_body_size_inspection: integer(
    16_384,
    { minimum: 1 },
    'The maximum size of an inspection report from a ramdisk, in KiB.',
  ),
  memory_budget: integer(
    128,
    { minimum: 1 },
    'The memory in MiB that request bodies, inspection reports waiting for their hooks, and answers that clients have not read yet may use together. Unauthenticated callers, such as ramdisks, may use at most half of it together. One network address may use at most half of what callers of its kind may use, unless a single request needs more. Requests that do not fit get 503 with Retry-After.',
  ),
  disallow_clean_steps: disallowedSteps('clean'),
  disallow_deploy_steps: disallowedSteps('deploy'),
  disallow_service_steps: disallowedSteps('service'),
});

const remainingSections = {
  database: section({
    path: path('$state_path/ironic-edge.sqlite', 'The SQLite database file.'),
  }),
  deploy: deploySection,
  disk_utils: diskUtilsSection,
  oci: ociSection,
  service_catalog: section({
    endpoint_override: textOrNull(
      'The URL at which ramdisks reach the API. Not set: the address of the ramdisk listener, if [ramdisk] port is set; otherwise [api] public_endpoint; without that, the address that the API listens on.',
    ),
  }),
  ...bootSections,
  ...dhcpSections,
  dhcp_server: dhcpServerSection,
  ...pxeFilterSections,
  ...ramdiskSections,
  ...tftpSections,
  oslo_middleware: section({
    enable_proxy_headers_parsing: flag(
      false,
      'Whether, in requests that come from trusted_proxies, links are built from the headers Forwarded or X-Forwarded-Proto, -Host and -Prefix, and the addresses of clients are taken from Forwarded or X-Forwarded-For. Only the listener of the API does so.',
    ),
    trusted_proxies: networks(
      'The addresses of the proxies whose headers enable_proxy_headers_parsing believes, as in 192.0.2.10 or 192.0.2.0/24. Whoever connects to [api] unix_socket counts as a trusted proxy too.',
      ['127.0.0.0/8', '::1'],
    ),
  }),
  cors: section({
    allowed_origin: list(
      [],
      'The origins, as in https://console.example.com, whose pages may use the API from a browser; * allows all. Empty: none.',
    ),
    allow_credentials: flag(
      true,
      'Whether browsers may send stored credentials; has no effect with allowed_origin = *.',
    ),
    max_age: seconds(3600, 0, 'How long browsers may cache the answer to a preflight request, in seconds.'),
  }),
  healthcheck: section({
    enabled: flag(
      false,
      'Whether /healthcheck reports, without authentication, that the API is up; for load balancers.',
    ),
  }),
  plugins: section({
    path: typed<readonly string[]>({
      type: 'array',
      items: { type: 'string', format: 'path' },
      default: [],
      description: "Directories that are searched for plugins in addition to the daemon's own.",
    }),
    operation_timeout: seconds(
      3600,
      1,
      'The time in seconds after which an unfinished plugin operation fails. It must be longer than the slowest operation.',
    ),
    memory_limit: typed<number>({
      type: 'integer',
      minimum: 32,
      maximum: 65_536,
      default: 256,
      description:
        'The memory in MiB that the process of a plugin may use. A process that needs more is terminated and started again.',
    }),
  }),
  ...observeSections,
  console: consoleSection,
  watchdog: watchdogSection,
  audit: auditSection,
  users: usersSection,
  oidc: oidcSection,
  zero_touch: zeroTouchSection,
};

/** The core's sections, with defaults for this machine. */
export function coreSections(machine: HostFacts) {
  return {
    DEFAULT: defaultSection(machine),
    api: apiSection,
    conductor: conductorSection,
    ...remainingSections,
  };
}

type CoreSections = ReturnType<typeof coreSections>;

/** The loaded values of the core's options: `config.api.port`. */
export type Config = {
  readonly [Name in keyof CoreSections]: {
    readonly [Option in keyof CoreSections[Name]['properties']]: Admitted<
      CoreSections[Name]['properties'][Option]
    >;
  };
};

/** Returns the core's sections as plain JSON Schema, which is also the form in which plugins declare their sections. */
export const coreSource = (machine: HostFacts): SectionSource => ({
  declaredBy: 'the core',
  sections: coreSections(machine) as unknown as SectionSchemas,
});
