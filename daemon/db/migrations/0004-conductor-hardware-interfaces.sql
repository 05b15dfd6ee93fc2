-- The interfaces that each running conductor offers for each hardware type.

CREATE TABLE conductor_hardware_interfaces (
  hostname TEXT NOT NULL REFERENCES conductors (hostname) ON DELETE CASCADE,
  hardware_type TEXT NOT NULL,
  interface_type TEXT NOT NULL,
  interface_name TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  PRIMARY KEY (hostname, hardware_type, interface_type, interface_name)
) STRICT, WITHOUT ROWID;
