-- Leases of IPv6 addresses. A machine may have an IPv4 address beside its IPv6 address, so they are in a table of their own.

CREATE TABLE dhcp6_leases (
  address TEXT PRIMARY KEY,
  -- the machine that has the address; NULL while nobody may have it
  mac TEXT UNIQUE,
  -- milliseconds since the epoch
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ports_reserved_ipv6_address ON ports (json_extract(extra, '$.ipv6_address'))
  WHERE json_extract(extra, '$.ipv6_address') IS NOT NULL;
