import { expect, test } from "vitest";
import {
  checkBubblewrap,
  checkLandlock,
  checkOverlay,
  checkUserNamespaces,
} from "../../effects/doctor/check-sandbox.ts";
import { doctorChecks } from "../../main/tables/checks.ts";
import { domainError } from "../errors/domain-error.ts";
import { nodeFiles } from "../machine/node-files.ts";
import { manualClock } from "../values/manual-clock.ts";
import { type Processes } from "../values/processes.ts";
import { err, ok } from "../values/result.ts";
import { checkUp, type DoctorCheck, type DoctorSurroundings, doctorCheck } from "./check-up.ts";

/** A machine on which only these programs answer. */
const machine = (answers: Readonly<Record<string, string | false>>): DoctorSurroundings => {
  const processes: Processes = {
    run: async ({ command }) => {
      const key = Object.keys(answers).find((start) => command.join(" ").startsWith(start));
      const stdout = key === undefined ? undefined : answers[key];
      if (stdout === undefined) return err(domainError("NOT_FOUND", `cannot start ${command[0]}`));
      return ok({
        end: { kind: "exited", code: stdout === false ? 1 : 0 },
        stdout: stdout || "",
        stderr: "",
        durationMs: 1,
      });
    },
  };
  return {
    root: undefined,
    env: {},
    files: nodeFiles,
    processes,
    clock: manualClock(),
    signal: new AbortController().signal,
  };
};
const onLinux = test.runIf(process.platform === "linux");

test("a check that throws is a finding, and the ones after it still run", async () => {
  const throwing: DoctorCheck = {
    id: "throws",
    title: "Throws",
    run: () => Promise.reject(new Error("boom")),
    remedy: () => null,
  };
  const fine = doctorCheck({
    id: "fine",
    title: "Fine",
    run: async () => ({ health: "works", found: "well" }),
    remedy: () => null,
  });
  expect(await checkUp([throwing, fine], machine({}))).toEqual([
    { id: "throws", title: "Throws", health: "broken", found: "the check itself failed: boom" },
    { id: "fine", title: "Fine", health: "works", found: "well" },
  ]);
});

test("an aborted check-up stops between two parts", async () => {
  expect(await checkUp(doctorChecks, { ...machine({}), signal: AbortSignal.abort() })).toEqual([]);
});

test("every part has an id of its own", () => {
  const ids = doctorChecks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

onLinux("a helper that is installed and does not work is told apart from one that is missing", async () => {
  expect(await checkBubblewrap.run(machine({}))).toMatchObject({
    health: "limited",
    found: "not installed",
    mend: "apt-get install bubblewrap",
  });
  expect(
    await checkBubblewrap.run(machine({ "bwrap --version": "bubblewrap 0.8.0", "bwrap --unshare-all": false })),
  ).toMatchObject({
    health: "limited",
    found: expect.stringContaining("cannot start a sandbox"),
  });
  expect(
    await checkBubblewrap.run(machine({ "bwrap --version": "bubblewrap 0.8.0", "bwrap --unshare-all": "" })),
  ).toMatchObject({ health: "works" });
});

onLinux("namespaces and overlays are believed only when they were tried", async () => {
  for (const check of [checkUserNamespaces, checkOverlay]) {
    expect(await check.run(machine({ unshare: "" }))).toMatchObject({ health: "works" });
    expect(await check.run(machine({ unshare: false }))).toMatchObject({ health: "limited" });
  }
});

onLinux("Landlock is asked of the kernel, by whichever interpreter is there", async () => {
  expect(await checkLandlock.run(machine({ perl: "7" }))).toMatchObject({
    health: "works",
    found: expect.stringContaining("7"),
  });
  expect(await checkLandlock.run(machine({ python3: "4" }))).toMatchObject({ health: "works" });
  expect(await checkLandlock.run(machine({ perl: "-1" }))).toMatchObject({
    health: "limited",
    found: "off in this kernel",
  });
  expect(await checkLandlock.run(machine({}))).toMatchObject({
    health: "limited",
    found: expect.stringContaining("cannot tell"),
  });
});
