-- What each source of inspections (the agent, a BMC) last saw of each machine, and what had changed since it looked before.
CREATE TABLE node_hardware (
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  source TEXT NOT NULL,
  inspected_at TEXT NOT NULL,
  compared_with TEXT,
  hardware TEXT NOT NULL CHECK (json_valid(hardware)),
  compared TEXT NOT NULL CHECK (json_valid(compared)),
  changes TEXT NOT NULL CHECK (json_valid(changes)),
  PRIMARY KEY (node_uuid, source)
) STRICT;
