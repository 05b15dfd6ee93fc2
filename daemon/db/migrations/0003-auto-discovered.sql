-- Marks nodes that auto-discovery enrolled.

ALTER TABLE nodes ADD COLUMN auto_discovered INTEGER NOT NULL DEFAULT 0 CHECK (auto_discovered IN (0, 1));
