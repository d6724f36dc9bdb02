-- One-time codes with which students get their seats back: only hashes, and for minutes.
CREATE TABLE seat_codes (
    hash TEXT PRIMARY KEY,
    class_id TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    student TEXT NOT NULL,
    until DOUBLE PRECISION NOT NULL
);

CREATE INDEX seat_codes_of_class ON seat_codes (class_id, student);

-- When a class was first seen to be due for deletion, by the clock of that moment.
ALTER TABLE classes ADD COLUMN due DOUBLE PRECISION;
