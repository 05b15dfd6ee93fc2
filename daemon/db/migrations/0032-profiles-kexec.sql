-- Whether instances of the profile start by kexec; NULL: as the node and the configuration say.
ALTER TABLE profiles ADD COLUMN kexec INTEGER CHECK (kexec IN (0, 1));
