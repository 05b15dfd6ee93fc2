-- What the daemon has fetched of each image of the catalogue, and keeps under its SHA-256.
ALTER TABLE images ADD COLUMN state TEXT NOT NULL DEFAULT 'known';
ALTER TABLE images ADD COLUMN digest TEXT;
ALTER TABLE images ADD COLUMN sha256 TEXT;
ALTER TABLE images ADD COLUMN bytes INTEGER;
ALTER TABLE images ADD COLUMN fetched_at TEXT;
ALTER TABLE images ADD COLUMN error TEXT;
