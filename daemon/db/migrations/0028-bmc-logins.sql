-- Logins that machines say to have made on their own BMCs: claims, because anybody can send one. sender: the address that it came
-- from, or empty. refused_at: when the BMC last refused a login of this sender.
CREATE TABLE bmc_logins (
  address TEXT NOT NULL,
  sender TEXT NOT NULL,
  username TEXT NOT NULL,
  password TEXT NOT NULL,
  serial_number TEXT,
  system_uuid TEXT,
  macs TEXT NOT NULL CHECK (json_valid(macs)),
  received_at TEXT NOT NULL,
  refused_at TEXT,
  PRIMARY KEY (address, sender)
) STRICT, WITHOUT ROWID;

-- The private keys that open such logins: the current one, and the one before it for machines that boot during the change.
CREATE TABLE site_keys (
  id INTEGER PRIMARY KEY,
  private_key TEXT NOT NULL,
  made_at TEXT NOT NULL
) STRICT;
