-- Understood by SQLite and PostgreSQL alike.
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE classes (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    activity TEXT NOT NULL,
    code TEXT NOT NULL UNIQUE,
    retention_days BIGINT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    last DOUBLE PRECISION NOT NULL,
    version BIGINT NOT NULL
);

-- What happened, in order. `token` is what makes an event the same when it comes twice.
CREATE TABLE events (
    class_id TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    happened DOUBLE PRECISION NOT NULL,
    token TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (class_id, version),
    UNIQUE (class_id, token)
);

-- Only hashes of what students' cookies hold.
CREATE TABLE tickets (
    hash TEXT PRIMARY KEY,
    class_id TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    student TEXT NOT NULL
);

CREATE INDEX tickets_of_class ON tickets (class_id);

CREATE TABLE activities (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    body TEXT NOT NULL
);

CREATE TABLE pictures (
    activity TEXT NOT NULL REFERENCES activities (id) ON DELETE CASCADE,
    item TEXT NOT NULL,
    media TEXT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (activity, item)
);
