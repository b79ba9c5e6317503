-- The schema of both event-ingest servers. Each server applies it at every start, after its own connection settings.
--
-- Connection settings of the writer (readers take all but the first two):
--   PRAGMA journal_mode = WAL;
--   PRAGMA synchronous = FULL | NORMAL;   the one durability setting (--synchronous or INGEST_SYNCHRONOUS, default FULL)
--   PRAGMA wal_autocheckpoint = 4000;     pages: 16 MB of log between checkpoints
--   PRAGMA cache_size = -8192;            KiB: 8 MiB
--   PRAGMA temp_store = MEMORY;
--   PRAGMA busy_timeout = 5000;           ms
--
-- FULL flushes the log before a commit returns, so an acknowledged event survives the loss of power.
-- NORMAL flushes at checkpoints only: an acknowledged event survives the end of the process, not the loss of power.

-- One transaction: a new file is flushed once and not for each statement.
BEGIN IMMEDIATE;

-- Events are never changed or deleted, so `seq` grows without gaps in the order of acceptance; it is also the id of
-- the event in the stream.
CREATE TABLE IF NOT EXISTS events (
  seq       INTEGER PRIMARY KEY,
  id        BLOB    NOT NULL,         -- the UUID's 16 bytes
  timestamp INTEGER NOT NULL,         -- ms since 1970-01-01T00:00:00Z
  source    TEXT    NOT NULL,
  session   TEXT    NOT NULL,
  type      TEXT    NOT NULL,
  level     INTEGER NOT NULL,         -- 0 debug, 1 info, 2 warning, 3 error
  payload   TEXT    NOT NULL          -- JSON object on one line
) STRICT;

-- Which ids are stored, each in one of two tables. Ids are random, so in one large index nearly every event would dirty
-- a page of its own, which is then written twice. New ids go to the small table, whose few pages all of a transaction
-- share; with every 1000 stored events one 32nd of the ids, a range by their first byte, moves on to the large one.
CREATE TABLE IF NOT EXISTS recent_ids (
  id  BLOB    PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ids (
  id  BLOB    PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One index for each filter of GET /api/events. Each ends in (timestamp, seq), the order of the pages: no page is sorted.
CREATE INDEX IF NOT EXISTS events_by_timestamp ON events (timestamp);
CREATE INDEX IF NOT EXISTS events_by_source    ON events (source, timestamp);
CREATE INDEX IF NOT EXISTS events_by_session   ON events (session, timestamp);
CREATE INDEX IF NOT EXISTS events_by_type      ON events (type, timestamp);

-- What GET /api/stats reads, kept up to date in the transaction that stores the events: no scan of `events`.
CREATE TABLE IF NOT EXISTS counts (
  kind   INTEGER NOT NULL,            -- 0 type, 1 source, 2 minute
  name   ANY     NOT NULL,            -- type, source, or minutes since 1970-01-01T00:00Z
  events INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

COMMIT;
