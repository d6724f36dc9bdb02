-- A class is kept for many lessons; its log has all of them. A class of 0.1 has had one.
CREATE TABLE lessons (
    class_id TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    activity TEXT NOT NULL,
    began DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (class_id, version)
);

CREATE INDEX lessons_of_activity ON lessons (activity);

INSERT INTO lessons (class_id, version, activity, began)
SELECT id, 1, activity, created FROM classes;

-- An activity that was edited after a class had used it is kept for that class, but not listed.
ALTER TABLE activities ADD COLUMN hidden BIGINT NOT NULL DEFAULT 0;
