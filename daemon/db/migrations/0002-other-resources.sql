-- The resources other than nodes and ports.

CREATE TABLE chassis (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  description TEXT,
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  created_at TEXT,
  updated_at TEXT
) STRICT;

CREATE INDEX nodes_chassis_uuid ON nodes (chassis_uuid) WHERE chassis_uuid IS NOT NULL;

CREATE TABLE portgroups (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  address TEXT UNIQUE,
  name TEXT UNIQUE,
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  internal_info TEXT NOT NULL CHECK (json_valid(internal_info)),
  standalone_ports_supported INTEGER NOT NULL CHECK (standalone_ports_supported IN (0, 1)),
  mode TEXT,
  properties TEXT NOT NULL CHECK (json_valid(properties)),
  physical_network TEXT,
  category TEXT,
  dynamic_portgroup INTEGER NOT NULL CHECK (dynamic_portgroup IN (0, 1)),
  created_at TEXT,
  updated_at TEXT
) STRICT;

CREATE INDEX portgroups_node_uuid ON portgroups (node_uuid);
CREATE INDEX ports_portgroup_uuid ON ports (portgroup_uuid) WHERE portgroup_uuid IS NOT NULL;

CREATE TABLE volume_connectors (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  type TEXT NOT NULL,
  connector_id TEXT NOT NULL,
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  created_at TEXT,
  updated_at TEXT,
  UNIQUE (type, connector_id)
) STRICT;

CREATE INDEX volume_connectors_node_uuid ON volume_connectors (node_uuid);

CREATE TABLE volume_targets (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  volume_type TEXT NOT NULL,
  volume_id TEXT NOT NULL,
  boot_index INTEGER NOT NULL,
  properties TEXT NOT NULL CHECK (json_valid(properties)),
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  created_at TEXT,
  updated_at TEXT,
  UNIQUE (node_uuid, boot_index)
) STRICT;

CREATE TABLE allocations (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  name TEXT UNIQUE,
  candidate_nodes TEXT NOT NULL CHECK (json_type(candidate_nodes) = 'array'),
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  last_error TEXT,
  node_uuid TEXT REFERENCES nodes (uuid) ON DELETE CASCADE,
  owner TEXT,
  resource_class TEXT,
  state TEXT NOT NULL CHECK (state IN ('allocating', 'active', 'error')),
  traits TEXT NOT NULL CHECK (json_type(traits) = 'array'),
  created_at TEXT,
  updated_at TEXT
) STRICT;

CREATE INDEX allocations_node_uuid ON allocations (node_uuid) WHERE node_uuid IS NOT NULL;

CREATE TABLE deploy_templates (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  name TEXT NOT NULL UNIQUE,
  steps TEXT NOT NULL CHECK (json_type(steps) = 'array'),
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  created_at TEXT,
  updated_at TEXT
) STRICT;

CREATE TABLE runbooks (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  name TEXT NOT NULL UNIQUE,
  description TEXT,
  steps TEXT NOT NULL CHECK (json_type(steps) = 'array'),
  disable_ramdisk INTEGER NOT NULL CHECK (disable_ramdisk IN (0, 1)),
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  public INTEGER NOT NULL CHECK (public IN (0, 1)),
  owner TEXT,
  traits TEXT NOT NULL CHECK (json_type(traits) = 'array'),
  created_at TEXT,
  updated_at TEXT
) STRICT;

CREATE TABLE inspection_rules (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  description TEXT,
  phase TEXT NOT NULL,
  priority INTEGER NOT NULL,
  sensitive INTEGER NOT NULL CHECK (sensitive IN (0, 1)),
  conditions TEXT NOT NULL CHECK (json_type(conditions) = 'array'),
  actions TEXT NOT NULL CHECK (json_type(actions) = 'array'),
  created_at TEXT,
  updated_at TEXT
) STRICT;

CREATE TABLE node_bios_settings (
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT,
  registry TEXT NOT NULL CHECK (json_valid(registry)),
  created_at TEXT,
  updated_at TEXT,
  PRIMARY KEY (node_uuid, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE node_firmware_components (
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  component TEXT NOT NULL,
  initial_version TEXT NOT NULL,
  current_version TEXT NOT NULL,
  last_version_flashed TEXT,
  vendor TEXT,
  model TEXT,
  serial_number TEXT,
  created_at TEXT,
  updated_at TEXT,
  PRIMARY KEY (node_uuid, component)
) STRICT, WITHOUT ROWID;
