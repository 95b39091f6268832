import { expect, test } from "vitest";
import { manualClock } from "./manual-clock.ts";
import { TimeSlice } from "./time-slice.ts";

const neverAborts = new AbortController().signal;

test("concurrent work holds the event loop for one slice in each of its turns", async () => {
  const clock = manualClock();
  let turns = 0;
  let done = 0;
  const most: number[] = [];
  const work = async () => {
    const slice = new TimeSlice({ clock, signal: neverAborts, mostMs: 40 });
    for (;;) {
      if (slice.isDue) await slice.rest();
      if (slice.isOver) return;
      slice.measure(() => clock.advance(1));
      done += 1;
    }
  };
  let before = 0;
  const beat = () => {
    most.push(done - before);
    before = done;
    turns += 1;
    if (turns < 200) setImmediate(beat);
  };
  setImmediate(beat);
  await Promise.all([work(), work(), work()]);
  expect(done).toBe(120); // each took its 40 ms
  expect(Math.max(...most)).toBe(5);
});

test("it is over when its time is spent, and when its signal aborts", async () => {
  const clock = manualClock();
  const left = new AbortController();
  const slice = new TimeSlice({ clock, signal: left.signal, mostMs: 10 });
  slice.measure(() => clock.advance(9));
  clock.advance(1000); // time between the measured parts does not count
  expect(slice.isOver).toBe(false);
  left.abort();
  expect(slice.isOver).toBe(true);
  const other = new TimeSlice({ clock, signal: neverAborts, mostMs: 10 });
  expect(() => other.measure(() => failing(() => clock.advance(10)))).toThrow("broke");
  expect(other.isOver).toBe(true); // work that throws has taken its time too
});

function failing(work: () => void): never {
  work();
  throw new Error("broke");
}
