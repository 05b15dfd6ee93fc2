-- What a node's machine boots from the network, until its boot interface clears it. JSON of daemon/boot/network-boots.ts.
CREATE TABLE network_boots (
  node_uuid TEXT PRIMARY KEY REFERENCES nodes (uuid) ON DELETE CASCADE,
  boot TEXT NOT NULL CHECK (json_valid(boot))
) STRICT;
