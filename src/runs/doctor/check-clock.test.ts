import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { DoctorSurroundings } from "#core/shapes";
import type { Clock } from "#core/values";
import { kernelFile } from "#workspace";
import { workspaceWith } from "../../../test/support/workspace.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import { openSqliteKernel } from "../kernel/store/sqlite/open.ts";
import { checkClock } from "./check-clock.ts";

test("the doctor says by what leases count, which steps were noticed, and that two machines share a store", async () => {
  const root = workspaceWith();
  const clock = manualClock();
  const look = () => checkClock.run({ root, clock } as unknown as DoctorSurroundings);
  expect(await look()).toMatchObject({ health: "works", found: "leases count by the machine's own time" });
  mkdirSync(dirname(join(root, kernelFile)), { recursive: true });
  const open = (own: Partial<Clock> = {}) => {
    const store = openSqliteKernel(join(root, kernelFile), { clock: { ...clock, ...own } });
    if (!store.ok) throw new Error(store.error.message);
    onTestFinished(() => store.value.close());
    return store.value;
  };
  const sweep = { kind: "sweep", limit: 1 } as const;
  const here = open();
  await here.commit([sweep]);
  clock.jump(clock.now() + 600_000);
  await here.commit([sweep]);
  expect(await look()).toMatchObject({
    health: "works",
    found: expect.stringMatching(
      /1 step noticed, the last at .*: the wall clock of this machine went 10 minutes forward/,
    ),
  });
  await open({ machine: () => ({ boot: "another", ms: 5 }) }).commit([sweep]);
  await here.commit([sweep]);
  expect(await look()).toMatchObject({
    health: "limited",
    found: expect.stringContaining("two machines"),
    mend: expect.stringContaining("writ migrate"),
  });
});
