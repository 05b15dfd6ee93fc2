-- Who must have signed the checksum file of an image, and what was found when it was fetched.
ALTER TABLE images ADD COLUMN signing_key TEXT;
ALTER TABLE images ADD COLUMN signature_url TEXT;
ALTER TABLE images ADD COLUMN signature TEXT;
UPDATE images SET signature = 'none' WHERE sha256 IS NOT NULL;
