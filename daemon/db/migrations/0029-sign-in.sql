-- Sessions of people who have signed in on the page. digest: the SHA-256 of what the browser's cookie holds. role: the one that a
-- provider gave; null: the section [users] decides. basis: a digest of what the sign-in rests on; when that changes, the session ends.
CREATE TABLE user_sessions (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  user TEXT NOT NULL,
  role TEXT,
  basis TEXT NOT NULL,
  address TEXT,
  browser TEXT NOT NULL,
  made_at TEXT NOT NULL,
  seen_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Tokens that were made on the page or over the API; the token file has others. until: the day at whose start the token expires.
CREATE TABLE user_tokens (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  user TEXT NOT NULL,
  until TEXT,
  made_at TEXT NOT NULL,
  made_by TEXT
) STRICT, WITHOUT ROWID;
