-- Nodes, their ports, history and inventory, and the host that drives them.
-- Column names are the API's field names; JSON is text, booleans are 0 or 1, times are ISO 8601 with +00:00.

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  name TEXT UNIQUE,
  driver TEXT NOT NULL,
  driver_info TEXT NOT NULL CHECK (json_valid(driver_info)),
  driver_internal_info TEXT NOT NULL CHECK (json_valid(driver_internal_info)),
  properties TEXT NOT NULL CHECK (json_valid(properties)),
  instance_info TEXT NOT NULL CHECK (json_valid(instance_info)),
  instance_uuid TEXT UNIQUE,
  instance_name TEXT,
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  chassis_uuid TEXT,
  resource_class TEXT,
  maintenance INTEGER NOT NULL CHECK (maintenance IN (0, 1)),
  maintenance_reason TEXT,
  fault TEXT,
  power_state TEXT,
  target_power_state TEXT,
  provision_state TEXT NOT NULL,
  target_provision_state TEXT,
  provision_updated_at TEXT,
  inspection_started_at TEXT,
  inspection_finished_at TEXT,
  last_error TEXT,
  console_enabled INTEGER NOT NULL CHECK (console_enabled IN (0, 1)),
  clean_step TEXT NOT NULL CHECK (json_valid(clean_step)),
  deploy_step TEXT NOT NULL CHECK (json_valid(deploy_step)),
  service_step TEXT NOT NULL CHECK (json_valid(service_step)),
  raid_config TEXT NOT NULL CHECK (json_valid(raid_config)),
  target_raid_config TEXT NOT NULL CHECK (json_valid(target_raid_config)),
  bios_interface TEXT,
  boot_interface TEXT,
  console_interface TEXT,
  deploy_interface TEXT,
  firmware_interface TEXT,
  inspect_interface TEXT,
  management_interface TEXT,
  network_interface TEXT,
  power_interface TEXT,
  raid_interface TEXT,
  rescue_interface TEXT,
  storage_interface TEXT,
  vendor_interface TEXT,
  traits TEXT NOT NULL CHECK (json_type(traits) = 'array'),
  conductor_group TEXT NOT NULL,
  automated_clean INTEGER CHECK (automated_clean IN (0, 1)),
  protected INTEGER NOT NULL CHECK (protected IN (0, 1)),
  protected_reason TEXT,
  owner TEXT,
  lessee TEXT,
  description TEXT,
  allocation_uuid TEXT,
  retired INTEGER NOT NULL CHECK (retired IN (0, 1)),
  retired_reason TEXT,
  network_data TEXT NOT NULL CHECK (json_valid(network_data)),
  boot_mode TEXT,
  secure_boot INTEGER CHECK (secure_boot IN (0, 1)),
  shard TEXT,
  parent_node TEXT,
  disable_power_off INTEGER NOT NULL CHECK (disable_power_off IN (0, 1)),
  health TEXT,
  created_at TEXT,
  updated_at TEXT
) STRICT;

CREATE INDEX nodes_provision_state ON nodes (provision_state);
CREATE INDEX nodes_parent_node ON nodes (parent_node) WHERE parent_node IS NOT NULL;

CREATE TABLE ports (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  address TEXT NOT NULL UNIQUE,
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  internal_info TEXT NOT NULL CHECK (json_valid(internal_info)),
  pxe_enabled INTEGER NOT NULL CHECK (pxe_enabled IN (0, 1)),
  local_link_connection TEXT NOT NULL CHECK (json_valid(local_link_connection)),
  portgroup_uuid TEXT,
  physical_network TEXT,
  is_smartnic INTEGER NOT NULL CHECK (is_smartnic IN (0, 1)),
  name TEXT UNIQUE,
  description TEXT,
  vendor TEXT,
  category TEXT,
  available_for_dynamic_portgroup INTEGER NOT NULL CHECK (available_for_dynamic_portgroup IN (0, 1)),
  created_at TEXT,
  updated_at TEXT
) STRICT;

CREATE INDEX ports_node_uuid ON ports (node_uuid);

CREATE TABLE node_history (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('ERROR', 'INFO')),
  event TEXT NOT NULL,
  event_type TEXT NOT NULL,
  conductor TEXT NOT NULL,
  user TEXT,
  state TEXT NOT NULL,
  target_provision_state TEXT,
  duration_seconds INTEGER
) STRICT;

CREATE INDEX node_history_node_uuid ON node_history (node_uuid, id);

CREATE TABLE node_inventory (
  node_uuid TEXT PRIMARY KEY REFERENCES nodes (uuid) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  inventory TEXT NOT NULL CHECK (json_valid(inventory)),
  plugin_data TEXT NOT NULL CHECK (json_valid(plugin_data))
) STRICT, WITHOUT ROWID;

CREATE TABLE conductors (
  hostname TEXT PRIMARY KEY,
  conductor_group TEXT NOT NULL,
  drivers TEXT NOT NULL CHECK (json_type(drivers) = 'array'),
  online INTEGER NOT NULL CHECK (online IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
