// The core's own options, declared once: types, defaults, validation and the reference all come from here.
// Names and units are Ironic's where Ironic has the option.
import { type Admitted, typed } from '../lib/typed-schema.ts';
import { type InterfaceType, interfaceTypes } from '../model/interface-types.ts';
import { auditSection } from './audit-section.ts';
import { conductorSection } from './conductor-section.ts';
import { deploySection } from './deploy-section.ts';
import { dhcpSections } from './dhcp-sections.ts';
import type { Machine } from './machine.ts';
import type { SectionSource } from './options.ts';
import { pxeFilterSections } from './pxe-filter-sections.ts';
import { ramdiskSections } from './ramdisk-sections.ts';
import type { SectionSchemas } from './section-schema.ts';
import {
  flag,
  integer,
  list,
  path,
  pathOrNull,
  seconds,
  section,
  text,
  textOrNull,
  tlsVersion,
} from './typed-options.ts';
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
      `The ${type} interface of a node that names none. Not set: the first enabled one of its hardware type.`,
    ),
);

const defaultSection = (machine: Machine) =>
  section({
    auth_strategy: typed<'noauth' | 'http_basic'>({
      type: 'string',
      enum: ['noauth', 'http_basic'],
      default: 'noauth',
      description:
        'How callers of the API are authenticated. noauth: whoever reaches the API may use all of it. http_basic: by user and password; what ramdisks call stays open.',
    }),
    http_basic_auth_user_file: path(
      '/etc/ironic/htpasswd',
      'The users of http_basic: a user and a bcrypt digest a line, as htpasswd -B writes them. It is read again when it changes and must be closed to other users of this machine.',
    ),
    host: text(machine.hostname, 'The name of this conductor, as the API shows it.'),
    my_ip: text(
      machine.address,
      'The address of this machine that nodes and their service processors reach it at.',
    ),
    debug: flag(false, 'Whether the log carries debug messages.'),
    state_path: path(
      'state',
      'The directory that everything the daemon writes lies under, unless an option says otherwise.',
    ),
    enabled_hardware_types: list(
      ['ipmi', 'manual-management', 'fake-hardware'],
      'The hardware types that nodes may have as their driver.',
    ),
    enabled_drivers: list([], 'The classic drivers that nodes may have as their driver.'),
    ...enabledInterfaces,
    ...defaultInterfaces,
    default_resource_class: textOrNull('The resource class of a node that is created without one.'),
    default_portgroup_mode: text('active-backup', 'The mode of a portgroup that is created without one.'),
    default_conductor_group: text('', 'The conductor group of a node that is created without one.'),
    log_in_db_max_size: integer(
      4096,
      { minimum: 1 },
      'The most characters of an error that are kept in a node record; the rest is cut off.',
    ),
  });

const disallowedSteps = (phase: string) =>
  list(
    ['vendor.send_raw'],
    `The steps, as INTERFACE.STEP, that a request to ${phase} a node may not name itself or through a runbook.`,
  );

const apiSection = section({
  host_ip: text('127.0.0.1', 'The address that the API listens on; 0.0.0.0 or :: is every address.'),
  port: integer(
    6385,
    { minimum: 0, maximum: 65535 },
    'The TCP port that the API listens on; 0 takes any free one.',
  ),
  unix_socket: pathOrNull(
    'The socket in the file system that the API listens on instead of host_ip and port; open to the user and the group of the daemon.',
  ),
  enable_ssl_api: flag(false, 'Whether the API speaks TLS; it then needs cert_file and key_file.'),
  cert_file: pathOrNull(
    'The certificate of the API with its chain (PEM). Certificate and key are read again when they change; open connections stay.',
  ),
  key_file: pathOrNull(
    'The private key of cert_file (PEM); it must be closed to other users of this machine.',
  ),
  tls_minimum_version: tlsVersion('The oldest version of TLS that the API speaks.'),
  public_endpoint: textOrNull(
    'The URL that links in replies start with. Not set: the scheme and host of the request.',
  ),
  allowed_hosts: list(
    [],
    'More host names by which clients without authentication and TLS may address the API; * is every one. Always allowed: addresses, names without a dot, [DEFAULT] host and the hosts of public_endpoint and [service_catalog] endpoint_override. Any other name gets 421, as a page in a browser could have made it resolve to this machine.',
  ),
  max_limit: integer(1000, { minimum: 1 }, 'The most items in one page of a collection.'),
  enable_ramdisk_endpoints: flag(
    true,
    'Whether ramdisks may call lookup, heartbeat and continue_inspection; when off they get 403.',
  ),
  restrict_lookup: flag(
    true,
    'Whether lookup finds only nodes in a state in which a ramdisk is expected to run.',
  ),
  ramdisk_heartbeat_timeout: seconds(
    300,
    1,
    'The longest time in seconds between two heartbeats; a ramdisk learns it when it looks itself up.',
  ),
  max_json_body_depth: integer(25, { minimum: 1 }, 'The deepest nesting of JSON in a request body.'),
  max_json_body_size: integer(1024, { minimum: 1 }, 'The largest request body in KiB.'),
  max_json_record_size: integer(
    4096,
    { minimum: 1 },
    'How much the JSON fields of a record that clients write (extra, properties, driver_info and the like) may have together, in KiB and without a config drive.',
  ),
  max_json_body_size_provision: integer(
    65_536,
    { minimum: 1 },
    'The largest body in KiB of a provision request, which may carry a config drive.',
  ),
  max_json_body_size_inspection: integer(
    16_384,
    { minimum: 1 },
    'The largest body in KiB of what a ramdisk reports in inspection.',
  ),
  memory_budget: integer(
    128,
    { minimum: 1 },
    'The memory in MiB that request bodies, inspection reports that wait for their hooks, and answers that clients have not read may occupy together. Half of it is for callers without an account, such as ramdisks; one network address gets at most half of what its kind of caller may have. What does not fit is answered 503 with Retry-After.',
  ),
  disallow_clean_steps: disallowedSteps('clean'),
  disallow_deploy_steps: disallowedSteps('deploy'),
  disallow_service_steps: disallowedSteps('service'),
});

const remainingSections = {
  database: section({
    path: path('$state_path/ironic-edge.sqlite', 'The SQLite file that all records are kept in.'),
  }),
  deploy: deploySection,
  service_catalog: section({
    endpoint_override: textOrNull(
      'The URL at which ramdisks reach the API. Not set: [api] public_endpoint, else what the API listens on.',
    ),
  }),
  ...dhcpSections,
  ...pxeFilterSections,
  ...ramdiskSections,
  oslo_middleware: section({
    enable_proxy_headers_parsing: flag(
      false,
      'Whether Forwarded or X-Forwarded-Proto, -Host and -Prefix headers decide what links begin with. On only behind a proxy that sets them itself.',
    ),
  }),
  cors: section({
    allowed_origin: list(
      [],
      'The origins (as in https://console.example.com) whose pages may use the API from a browser; * is every one. Empty: none.',
    ),
    allow_credentials: flag(
      true,
      'Whether browsers may send credentials that they keep; never for allowed_origin = *.',
    ),
    max_age: seconds(3600, 0, 'The time in seconds for which browsers may remember what is allowed.'),
  }),
  healthcheck: section({
    enabled: flag(
      false,
      'Whether /healthcheck tells load balancers, without authentication, that the API answers.',
    ),
  }),
  plugins: section({
    path: typed<readonly string[]>({
      type: 'array',
      items: { type: 'string', format: 'path' },
      default: [],
      description: 'Directories that are searched for plugins besides the one that comes with the daemon.',
    }),
    operation_timeout: seconds(
      3600,
      1,
      'The time in seconds after which an operation of a plugin that has not ended has failed. It must be longer than what the slowest operation takes.',
    ),
  }),
  watchdog: watchdogSection,
  audit: auditSection,
};

/** The core's sections on this machine. */
export function coreSections(machine: Machine) {
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

/** The same sections as the plain JSON Schema that plugins' sections are. */
export const coreSource = (machine: Machine): SectionSource => ({
  declaredBy: 'the core',
  sections: coreSections(machine) as unknown as SectionSchemas,
});
