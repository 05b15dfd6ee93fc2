-- Hardware classes: what the machines of a resource class were ordered with. Null, or an empty list: may be anything.
CREATE TABLE hardware_classes (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  name TEXT NOT NULL UNIQUE,
  description TEXT,
  required INTEGER NOT NULL CHECK (required IN (0, 1)),
  cpus INTEGER,
  cores INTEGER,
  threads INTEGER,
  memory_mib INTEGER,
  memory_tolerance_percent INTEGER NOT NULL,
  disks TEXT NOT NULL CHECK (json_valid(disks)),
  disk_tolerance_percent INTEGER NOT NULL,
  network_cards TEXT NOT NULL CHECK (json_valid(network_cards)),
  accelerators TEXT NOT NULL CHECK (json_valid(accelerators)),
  firmware TEXT NOT NULL CHECK (json_valid(firmware)),
  created_at TEXT,
  updated_at TEXT
) STRICT;
