-- DHCP servers other than the daemon's own that gave addresses on its networks; `last_seen` in milliseconds since the epoch.
CREATE TABLE dhcp_rivals (
  address TEXT PRIMARY KEY,
  interface TEXT NOT NULL,
  last_seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
