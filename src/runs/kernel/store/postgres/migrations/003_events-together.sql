-- Events of one commit that are alike and follow one another in their run share a row: `payload` has a line for each, `lines`
-- says how many. `seq` is that of the first: a commit begins a row of its own right behind the run's counter, so that two that
-- began at the same count collide in the key, as they did with a row for each event. What stood here before has one line each.
ALTER TABLE event_log ADD COLUMN lines integer NOT NULL DEFAULT 1;
