-- The user that is being given the password; null: the one as whom the daemon logs in. And the login that was tried last, while its
-- answer is not known.
ALTER TABLE pending_bmc_passwords ADD COLUMN username TEXT;
ALTER TABLE pending_bmc_passwords ADD COLUMN tried TEXT CHECK (tried IN ('pending', 'current'));
