-- What they may do who ordered a halt: only somebody who may do as much lifts it.
ALTER TABLE halts ADD COLUMN grants text;
