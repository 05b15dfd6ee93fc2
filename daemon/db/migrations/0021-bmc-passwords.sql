-- A password that a BMC is being given: stored before the BMC hears of it, and removed when it is known which password the BMC takes.
CREATE TABLE pending_bmc_passwords (
  node_uuid TEXT PRIMARY KEY REFERENCES nodes (uuid) ON DELETE CASCADE,
  password TEXT NOT NULL
) STRICT, WITHOUT ROWID;
