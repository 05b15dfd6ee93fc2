-- Machines that an operator expects, with the logins that their BMCs have from the factory.
CREATE TABLE expected_machines (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 36),
  name TEXT UNIQUE,
  serial_number TEXT UNIQUE,
  bmc_mac TEXT UNIQUE,
  bmc_address TEXT UNIQUE,
  port_macs TEXT NOT NULL CHECK (json_valid(port_macs)),
  bmc_username TEXT,
  bmc_password TEXT,
  driver TEXT,
  resource_class TEXT,
  owner TEXT,
  traits TEXT NOT NULL CHECK (json_valid(traits)),
  rack TEXT,
  unit INTEGER,
  description TEXT,
  created_at TEXT,
  updated_at TEXT
) STRICT;
-- Which logins were tried at which BMC, so that none is tried too often, also after a restart. login: the hash of user and password.
-- refused: 0 while the BMC has not answered, also when the daemon has ended before it did.
CREATE TABLE tried_bmc_logins (
  address TEXT NOT NULL,
  login TEXT NOT NULL,
  tried_at TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  refused INTEGER NOT NULL CHECK (refused IN (0, 1)),
  PRIMARY KEY (address, login)
) STRICT, WITHOUT ROWID;
-- What is done with new machines of a class.
ALTER TABLE hardware_classes ADD COLUMN runbooks TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(runbooks));
ALTER TABLE hardware_classes ADD COLUMN erase_disks INTEGER NOT NULL DEFAULT 0 CHECK (erase_disks IN (0, 1));
ALTER TABLE hardware_classes ADD COLUMN stop_after TEXT;
ALTER TABLE found_bmcs ADD COLUMN runbook TEXT;
ALTER TABLE found_bmcs ADD COLUMN runbooks_done TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(runbooks_done));
ALTER TABLE found_bmcs ADD COLUMN continued_at TEXT;
