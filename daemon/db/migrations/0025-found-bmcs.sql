-- BMCs that were found on the networks of [zero_touch] bmc_networks. address: null when another BMC has got it. What follows
-- macs says how far the machine has been taken in.
CREATE TABLE found_bmcs (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  address TEXT UNIQUE,
  mac TEXT,
  redfish_uuid TEXT,
  protocols TEXT NOT NULL CHECK (json_valid(protocols)),
  vendor TEXT,
  product TEXT,
  redfish_version TEXT,
  hostname TEXT,
  vendor_class TEXT,
  sources TEXT NOT NULL CHECK (json_valid(sources)),
  serial_number TEXT,
  system_uuid TEXT,
  macs TEXT NOT NULL CHECK (json_valid(macs)),
  node_uuid TEXT REFERENCES nodes (uuid) ON DELETE SET NULL,
  expected_uuid TEXT,
  stage TEXT NOT NULL,
  reason TEXT,
  first_seen TEXT NOT NULL,
  last_seen TEXT NOT NULL,
  created_at TEXT,
  updated_at TEXT
) STRICT;
CREATE INDEX found_bmcs_mac ON found_bmcs (mac) WHERE mac IS NOT NULL;
CREATE INDEX found_bmcs_redfish_uuid ON found_bmcs (redfish_uuid) WHERE redfish_uuid IS NOT NULL;
CREATE INDEX found_bmcs_node ON found_bmcs (node_uuid) WHERE node_uuid IS NOT NULL;
