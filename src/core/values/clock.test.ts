import { describe, expect, test } from "vitest";
import { completeClock } from "../machine/given-clock.ts";
import { dayStamp, isoTime, sleep } from "./clock.ts";
import { manualClock } from "./manual-clock.ts";
import { systemClock } from "./system.ts";

describe("time", () => {
  test("leaves the process as ISO 8601 in UTC with milliseconds", () => {
    expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
    expect(isoTime(Date.UTC(2026, 1, 3, 4, 5, 6, 7))).toBe("2026-02-03T04:05:06.007Z");
    expect(dayStamp(Date.UTC(2026, 1, 3, 23, 59))).toBe("20260203");
  });

  test("of the machine moves on, and a cancelled timer stays silent", async () => {
    const before = systemClock.monotonic();
    let called = false;
    const cancel = systemClock.after(1, () => {
      called = true;
    });
    cancel();
    expect(await sleep(systemClock, 5)).toBe(true);
    expect(called).toBe(false);
    expect(systemClock.monotonic()).toBeGreaterThan(before);
  });
});

test("a clock that a program hands in without machine time counts by its own", () => {
  const given = { now: () => 5, monotonic: () => 7, after: () => () => undefined };
  expect(completeClock(given).machine()).toEqual({ boot: undefined, ms: 7 });
  expect(completeClock(manualClock()).machine()).toEqual({ boot: "boot 1", ms: 0 });
});

describe("a manual clock", () => {
  test("calls what is due in order of time, then of registration", () => {
    const clock = manualClock(1000);
    const calls: string[] = [];
    clock.after(20, () => calls.push(`late ${clock.now()}`));
    clock.after(10, () => calls.push(`first ${clock.now()}`));
    clock.after(10, () => calls.push(`second ${clock.now()}`));
    clock.after(-5, () => calls.push(`now ${clock.now()}`));
    clock.advance(15);
    expect(calls).toEqual(["now 1000", "first 1010", "second 1010"]);
    clock.advance(5);
    expect(calls.at(-1)).toBe("late 1020");
    expect(clock.now()).toBe(1020);
  });

  test("also calls what a callback registered within the same stretch", () => {
    const clock = manualClock(0);
    const calls: number[] = [];
    const again = () => {
      calls.push(clock.monotonic());
      if (calls.length < 3) clock.after(4, again);
    };
    clock.after(4, again);
    clock.advance(100);
    expect(calls).toEqual([4, 8, 12]);
    expect(clock.monotonic()).toBe(100);
  });

  test("jumps without moving durations or timers", () => {
    const clock = manualClock(5000);
    let called = false;
    clock.after(10, () => {
      called = true;
    });
    clock.jump(1);
    expect([clock.now(), clock.monotonic(), called]).toEqual([1, 0, false]);
    clock.advance(10);
    expect([clock.now(), called]).toEqual([11, true]);
  });

  test("forgets a cancelled timer", () => {
    const clock = manualClock();
    const cancel = clock.after(1, () => expect.unreachable());
    cancel();
    cancel();
    clock.advance(5);
  });
});

describe("sleeping", () => {
  test("answers true when the time passed", async () => {
    const clock = manualClock();
    const slept = sleep(clock, 50);
    clock.advance(50);
    expect(await slept).toBe(true);
  });

  test("ends at once when aborted, before or meanwhile, and leaves no timer", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const slept = sleep(clock, 50, controller.signal);
    controller.abort();
    expect(await slept).toBe(false);
    expect(await sleep(clock, 50, controller.signal)).toBe(false);
    clock.advance(100);
  });

  test("removes its listener from the signal afterwards", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const removed: string[] = [];
    const { signal } = controller;
    const remove = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      removed.push(args[0]);
      remove(...args);
    };
    const slept = sleep(clock, 5, signal);
    clock.advance(5);
    await slept;
    expect(removed).toEqual(["abort"]);
  });
});
