-- What has happened, for event streams and webhooks: bodies are Ironic's versioned notifications. Ids are never used twice.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_type TEXT NOT NULL,
  node_uuid TEXT,
  body TEXT NOT NULL
) STRICT;

-- How far each webhook has got; its name is its URL.
CREATE TABLE webhooks (
  name TEXT PRIMARY KEY,
  delivered_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
