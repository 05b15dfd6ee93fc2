-- How long work on nodes has taken. The model is the driver with the product name of the last inspection at that time.
CREATE TABLE work_times (
  id INTEGER PRIMARY KEY,
  node_uuid TEXT NOT NULL REFERENCES nodes (uuid) ON DELETE CASCADE,
  model TEXT NOT NULL,
  work TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  seconds REAL NOT NULL CHECK (seconds >= 0)
) STRICT;
CREATE INDEX work_times_node ON work_times (node_uuid, work, id);
CREATE INDEX work_times_model ON work_times (model, work, id);
