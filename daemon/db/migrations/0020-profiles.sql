-- Profiles of instances: what requests for an instance may say with one name.
CREATE TABLE profiles (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  name TEXT NOT NULL UNIQUE,
  description TEXT,
  image TEXT,
  image_checksum TEXT,
  hostname TEXT,
  ssh_keys TEXT NOT NULL CHECK (json_valid(ssh_keys)),
  user_data TEXT,
  password_hash TEXT,
  network TEXT NOT NULL CHECK (json_valid(network)),
  created_at TEXT,
  updated_at TEXT
) STRICT;
