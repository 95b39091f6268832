import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemClock } from "#core/values";
import { halted, output, start, temporaryFolder, testLog, value } from "../../../test/support/log.ts";
import { realDisk } from "./disk.ts";
import { SyncPace } from "./sync-pace.ts";

/** A disk whose syncs take a given time. */
function paced() {
  let now = 0;
  const pace = new SyncPace({ monotonic: () => now });
  const sync = (ms: number, callers = 1) => {
    const here = pace.begin(callers);
    now += ms;
    pace.end();
    return here;
  };
  return { sync, quickly: (count: number) => Array.from({ length: count }, () => sync(0.1)) };
}

test("a sync blocks this thread once the disk has been quick for a while, and until it is slow", async () => {
  const { sync, quickly } = paced();
  expect(quickly(17)).toEqual([...Array<boolean>(16).fill(false), true]);
  expect(sync(3)).toBe(true);
  await setImmediate();
  expect(quickly(17)).toEqual([...Array<boolean>(16).fill(false), true]);
});

test("never with several callers, and not repeatedly within one turn of the loop", async () => {
  const { sync, quickly } = paced();
  quickly(16);
  expect([sync(0.1, 2), sync(0.1, 0)]).toEqual([false, false]);
  expect(quickly(6)).toEqual([true, true, true, true, false, false]);
  await setImmediate();
  expect(quickly(2)).toEqual([true, true]);
});

test("a caller that appends without end leaves turns to other callers, wherever syncs run", async () => {
  const here: boolean[] = [];
  const quick = { ...systemClock, monotonic: () => 0, now: () => 0, after: () => () => undefined };
  const disk = {
    ...realDisk,
    sync: async (fd: number, isHere = false) => {
      here.push(isHere);
      await realDisk.sync(fd, isHere);
    },
  };
  const log = testLog(temporaryFolder(), { disk, clock: quick });
  const session = value(await log.create({ tier: "ho1" }));
  value(await session.append(start));
  let turns = 0;
  let isOver = false;
  const count = async () => {
    for (; !isOver; turns++) await setImmediate();
  };
  const counting = count();
  for (let line = 0; line < 200; line++) value(await session.append(halted(`${line}`)));
  isOver = true;
  await counting;
  expect(here.filter(Boolean).length).toBeGreaterThan(100);
  expect(turns).toBeGreaterThan(20);
});

test("a long batch is synced in the thread pool, however quick the disk was with short ones", async () => {
  const here: boolean[] = [];
  const disk = {
    ...realDisk,
    sync: async (fd: number, isHere = false) => {
      here.push(isHere);
      await realDisk.sync(fd, isHere);
    },
  };
  const log = testLog(temporaryFolder(), { disk, clock: { ...systemClock, monotonic: () => 0 } });
  const session = value(await log.create({ tier: "ho1" }));
  value(await session.append(start));
  const wheres: (boolean | undefined)[] = [];
  for (let line = 0; line < 40; line++) {
    await setImmediate();
    value(await session.append(output("x".repeat(line % 2 === 0 ? 10 : 200_000))));
    if (line >= 20) wheres.push(here.at(-1));
  }
  expect(wheres).toEqual(Array.from({ length: 20 }, (_, line) => line % 2 === 0));
});

test("a sync that fails is reported the same, wherever it runs", async () => {
  for (const here of [true, false])
    await expect(realDisk.sync(1_000_000, here)).rejects.toMatchObject({ code: "EBADF" });
});
