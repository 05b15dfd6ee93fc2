-- What the sensors of each node read in the last 24 hours. sensors: which ones; the place of each in this list is its place in
-- the readings. Every bucket is five minutes of all sensors, and a new one replaces that of a day before in the same slot.
CREATE TABLE sensor_histories (
  node_uuid TEXT PRIMARY KEY REFERENCES nodes (uuid) ON DELETE CASCADE,
  sensors TEXT NOT NULL CHECK (json_valid(sensors))
) STRICT, WITHOUT ROWID;
CREATE TABLE sensor_buckets (
  node_uuid TEXT NOT NULL REFERENCES sensor_histories (node_uuid) ON DELETE CASCADE,
  slot INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  readings BLOB NOT NULL,
  PRIMARY KEY (node_uuid, slot)
) STRICT, WITHOUT ROWID;
