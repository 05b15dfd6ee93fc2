-- Finds the events of a node's sensors, which each reading replaces.
CREATE INDEX events_sensors ON events (node_uuid) WHERE event_type GLOB 'hardware.*';
