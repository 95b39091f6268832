import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "#core/errors";
import { type DoctorCheck, doctorCheck, type Observation } from "#core/shapes";
import { isoTime } from "#core/values";
import { kernelFile } from "#workspace";
import { type ClockStep, sayClockStep } from "../kernel/store/sqlite/say-clock-step.ts";

const day = 24 * 60 * 60 * 1_000;

/** By what leases count here, and whether a process noticed that the wall clock was set. On PostgreSQL the database's clock counts. */
export const checkClock: DoctorCheck = doctorCheck<string>({
  id: "clock",
  title: "Clock",
  async run({ root, clock }) {
    const named =
      clock.machine().boot === undefined ? "; this system names no boot, so a restart is not recognized" : "";
    const file = root === undefined ? undefined : join(root, kernelFile);
    if (file === undefined || !existsSync(file))
      return { health: "works", found: `leases count by the machine's own time${named}` };
    const { openSqlite } = await import("../../core/database/sqlite/connection.ts"); // loads the native module: here, so that its failure is a finding
    const opened = openSqlite(file, { readonly: true });
    if (!opened.ok)
      return { health: "works", found: "not looked for: the kernel's file cannot be read (see Database)" };
    try {
      const made = opened.value.prepare("SELECT 1 FROM sqlite_master WHERE name = 'clock_step'").get();
      const steps = made
        ? (opened.value
            .prepare("SELECT noticed_at, by_ms, cause FROM clock_step ORDER BY number DESC")
            .all() as ClockStep[])
        : [];
      return judge(steps, clock.now(), named);
    } catch (thrown) {
      return { health: "works", found: `not looked for: ${messageOf(thrown)} (see Database)` };
    } finally {
      opened.value.close();
    }
  },
  remedy: (step) => step,
});

function judge(steps: readonly ClockStep[], now: number, named: string): Observation<string> {
  const two = steps.find(({ cause, noticed_at }) => cause === "two_machines" && now - noticed_at < day);
  if (two)
    return {
      health: "limited",
      found: `${isoTime(two.noticed_at)}: ${sayClockStep(two)}`,
      why: "a lease can end too early or too late where their wall clocks differ",
      cause: "put the store into PostgreSQL: `writ migrate --to postgres://…`",
    };
  const [last] = steps.filter(({ cause }) => cause !== "two_machines");
  const noticed = last
    ? `; ${steps.length} step${steps.length === 1 ? "" : "s"} noticed, the last at ${isoTime(last.noticed_at)}: ${sayClockStep(last)}`
    : "";
  return { health: "works", found: `leases count by the machine's own time${named}${noticed}` };
}
