-- Leases of the DHCP server, and the addresses that ports reserve in their extra field.

CREATE TABLE dhcp_leases (
  address TEXT PRIMARY KEY,
  -- the machine that has the address; NULL while nobody may have it, because a machine found it in use
  mac TEXT UNIQUE,
  -- milliseconds since the epoch
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ports_reserved_address ON ports (json_extract(extra, '$.ipv4_address'))
  WHERE json_extract(extra, '$.ipv4_address') IS NOT NULL;
