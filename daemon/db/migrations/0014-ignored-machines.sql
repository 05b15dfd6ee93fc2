-- Machines without a node that an operator does not want to enrol, by their MAC or IP address.
CREATE TABLE ignored_machines (
  machine TEXT PRIMARY KEY,
  since TEXT NOT NULL
) STRICT, WITHOUT ROWID;
