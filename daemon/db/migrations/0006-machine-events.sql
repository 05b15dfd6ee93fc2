-- Timelines: what the daemon saw of each machine. Ids are given by the daemon and never used twice.
CREATE TABLE machine_events (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  hop TEXT NOT NULL,
  node_uuid TEXT REFERENCES nodes (uuid) ON DELETE CASCADE,
  mac TEXT,
  address TEXT,
  text TEXT NOT NULL,
  failed INTEGER NOT NULL CHECK (failed IN (0, 1))
) STRICT;
CREATE INDEX machine_events_node ON machine_events (node_uuid, id) WHERE node_uuid IS NOT NULL;
CREATE INDEX machine_events_mac ON machine_events (mac, id) WHERE mac IS NOT NULL;
CREATE INDEX machine_events_unknown ON machine_events (id) WHERE node_uuid IS NULL;
