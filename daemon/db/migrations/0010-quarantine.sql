-- The site whose nodes this database holds. The host tells a copied database from the original; the generation rises with each restore.
CREATE TABLE site (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  uuid TEXT NOT NULL,
  generation INTEGER NOT NULL,
  host TEXT NOT NULL
) STRICT;

-- Nodes that come from a backup or a copy of the database: nothing is done with their machines until they are released. Their
-- earlier maintenance is kept here.
CREATE TABLE quarantined_nodes (
  node_uuid TEXT PRIMARY KEY REFERENCES nodes (uuid) ON DELETE CASCADE,
  since TEXT NOT NULL,
  reason TEXT NOT NULL,
  maintenance INTEGER NOT NULL CHECK (maintenance IN (0, 1)),
  maintenance_reason TEXT,
  fault TEXT
) STRICT, WITHOUT ROWID;
