-- The service that manages the node now, which was handed over to it; NULL for a quarantine that a restore began.
ALTER TABLE quarantined_nodes ADD COLUMN handed_to TEXT;
