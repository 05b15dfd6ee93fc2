-- The client identifiers of InfiniBand cards: their DHCP messages have no hardware address.
CREATE INDEX ports_client_id ON ports (lower(json_extract(extra, '$."client-id"')))
  WHERE lower(json_extract(extra, '$."client-id"')) IS NOT NULL;
