-- The catalogue of images: names that nodes may have as the image of their instance.
CREATE TABLE images (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  name TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  checksum TEXT,
  architecture TEXT,
  min_disk_gib INTEGER,
  login_user TEXT,
  description TEXT,
  created_at TEXT,
  updated_at TEXT
) STRICT;
