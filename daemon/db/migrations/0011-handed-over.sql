-- The service to which the node was handed over, and which manages it now; NULL for a quarantine that a restore or a copy began.
ALTER TABLE quarantined_nodes ADD COLUMN handed_to TEXT;
