// The core's own options, declared once: types, defaults, validation and the reference all come from here.
// Names and units are Ironic's where Ironic has the option.
import { type Admitted, typed } from '../lib/typed-schema.ts';
import { type InterfaceType, interfaceTypes } from '../model/interface-types.ts';
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
} from './typed-options.ts';

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
      `The ${type} interfaces that nodes may use. Empty: the first one that every enabled hardware type supports.`,
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
  tls_minimum_version: typed<'1.2' | '1.3'>({
    type: 'string',
    enum: ['1.2', '1.3'],
    default: '1.3',
    description: 'The oldest version of TLS that the API speaks.',
  }),
  public_endpoint: textOrNull(
    'The URL that links in replies start with. Not set: the scheme and host of the request.',
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
  disallow_clean_steps: disallowedSteps('clean'),
  disallow_deploy_steps: disallowedSteps('deploy'),
  disallow_service_steps: disallowedSteps('service'),
});

const conductorSection = section({
  workers_pool_size: integer(300, { minimum: 3 }, 'The most tasks that run at once.'),
  reserved_workers_pool_percentage: integer(
    5,
    { minimum: 0, maximum: 50 },
    'The share of workers_pool_size in percent that heartbeats and periodic work cannot take.',
  ),
  node_locked_retry_attempts: integer(
    3,
    { minimum: 0 },
    'How many times a request tries for the lock of a node before it gets 409; 0 tries once too.',
  ),
  node_locked_retry_interval: seconds(1, 1, 'The time in seconds between two tries for the lock of a node.'),
  sync_power_state_interval: seconds(
    120,
    0,
    'The time in seconds between two comparisons of recorded and real power states; 0 turns them off.',
  ),
  sync_power_state_workers: integer(
    8,
    { minimum: 1 },
    'The most nodes whose power state is compared at once.',
  ),
  power_state_sync_max_retries: integer(
    3,
    { minimum: 0 },
    'How many power state comparisons in a row may fail before the node is put into maintenance.',
  ),
  force_power_state_during_sync: flag(
    true,
    'When the real power state differs: on sets the node back to the recorded state, off records the real one.',
  ),
  power_failure_recovery_interval: seconds(
    300,
    0,
    'The time in seconds between two looks at nodes in maintenance for a power failure; 0 turns them off.',
  ),
  power_state_change_timeout: seconds(60, 2, 'The time in seconds in which a power change must be seen.'),
  soft_power_off_timeout: seconds(
    600,
    1,
    'The time in seconds that an operating system has to shut down when asked to.',
  ),
  check_provision_state_interval: seconds(
    60,
    0,
    'The time in seconds between two searches for nodes that waited too long; 0 turns these timeouts off.',
  ),
  inspect_wait_timeout: seconds(
    1800,
    0,
    'The time in seconds after which inspection fails when the ramdisk has not reported; 0 waits for ever.',
  ),
  automated_clean: flag(
    false,
    'Whether a node is cleaned before it becomes available. When on, provide is refused for a node whose deploy interface cannot clean.',
  ),
  allow_deleting_available_nodes: flag(true, 'Whether a node in state available may be deleted.'),
  allow_provisioning_in_maintenance: flag(
    true,
    'Whether a node in maintenance may be moved to another provision state.',
  ),
  conductor_group: text('', 'The group of this conductor; it serves only nodes of the same group.'),
  graceful_shutdown_timeout: seconds(
    60,
    0,
    'The time in seconds that running tasks have to end when the daemon is asked to stop; 0 waits for ever.',
  ),
  node_history: flag(true, 'Whether errors of a node are also kept in its history.'),
  node_history_max_entries: integer(
    300,
    { minimum: 0 },
    'The most history entries that are kept of one node; 0 keeps all.',
  ),
  node_history_cleanup_interval: seconds(
    86_400,
    0,
    'The time in seconds between two removals of surplus history entries; 0 turns them off.',
  ),
});

const remainingSections = {
  database: section({
    path: path('$state_path/ironic-edge.sqlite', 'The SQLite file that all records are kept in.'),
  }),
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
  }),
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
