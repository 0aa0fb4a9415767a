/** Marks a file as ours: "twsh" in ASCII. */
export const APPLICATION_ID = 0x74_77_73_68;

/** The step from version n to n + 1 stands at place n. Never change one that was released; append. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE traces (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    agent TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    task_id TEXT NOT NULL,
    source TEXT NOT NULL,
    status TEXT NOT NULL,
    started_at REAL,
    steps INTEGER NOT NULL,
    detected INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL
  );
  CREATE INDEX traces_undetected ON traces (id) WHERE detected = 0;
  CREATE TABLE failures (
    trace TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    signature TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (trace, place)
  ) WITHOUT ROWID;
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    at REAL NOT NULL
  );
  CREATE TABLE verdicts (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    repro TEXT NOT NULL,
    verdict TEXT NOT NULL,
    regressed INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (run, repro)
  ) WITHOUT ROWID;
  `,
  `
  ALTER TABLE traces ADD COLUMN failing INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE traces ADD COLUMN content TEXT NOT NULL DEFAULT '';
  ALTER TABLE traces ADD COLUMN cost REAL;
  CREATE TABLE notes (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE vectors (
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    text TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (model, dimensions, text)
  ) WITHOUT ROWID;
  UPDATE traces SET detected = 0;
  `,
];
