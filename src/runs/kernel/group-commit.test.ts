import { expect, test } from "vitest";
import { ok, type RunId } from "#core/values";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { Command } from "./commands.ts";
import { groupCommit } from "./group-commit.ts";
import type { CommitReport, KernelStore } from "./store/port.ts";
import { createWakeUp } from "./wake-up.ts";

const pause = (run: string): Command => ({ kind: "pause_run", run_id: run as RunId, actor_id: "ada" });
const claim: Command = { kind: "claim_work", capabilities: ["c"], lease_owner: "w", lease_ms: 1_000, limit: 1 };
const sweep: Command = { kind: "sweep", limit: 1 };

/** A store whose commits end when the test says so, and that lists the batches it got. */
function slowStore(commitsAtOnce?: number) {
  const clock = manualClock();
  const begun: { readonly commands: readonly Command[]; readonly end: () => void }[] = [];
  const commit: KernelStore["commit"] = (commands) =>
    new Promise((resolve) => {
      const results = commands.map(() => ok(undefined as never));
      const wake = { capabilities: new Set<string>(), apps: new Set<string>(), runs: new Set<RunId>() };
      const report: CommitReport = { results, wake };
      begun.push({ commands, end: () => resolve(ok(report)) });
    });
  const store = { commit, ...(commitsAtOnce === undefined ? {} : { commitsAtOnce }) } as KernelStore;
  const commits = groupCommit({
    store,
    wakeUp: createWakeUp(clock),
    clock,
    defer: (callback) => queueMicrotask(callback),
  });
  const names = () =>
    begun.map(({ commands }) => commands.map((command) => ("run_id" in command ? command.run_id : command.kind)));
  return { commits, begun, names };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("one commit at a time takes everything that was said meanwhile", async () => {
  const { commits, begun, names } = slowStore();
  void commits.submit(pause("a"));
  await settled();
  void commits.submit(pause("b"));
  void commits.submit(pause("c"));
  await settled();
  expect(names()).toEqual([["a"]]);
  begun[0]?.end();
  await settled();
  expect(names()).toEqual([["a"], ["b", "c"]]);
});

test("where two may be under way, a run is in one of them, and its commands keep their order", async () => {
  const { commits, begun, names } = slowStore(2);
  void commits.submit(pause("a"));
  await settled();
  void commits.submit(pause("a"));
  void commits.submit(pause("b"));
  void commits.submit(sweep);
  await settled();
  expect(names()).toEqual([["a"], ["b", "sweep"]]);
  void commits.submit(pause("b"));
  void commits.submit(pause("a"));
  const drained = commits.drain();
  await settled();
  expect(begun).toHaveLength(2); // both are under way
  begun[1]?.end();
  await settled();
  expect(names().slice(2)).toEqual([["b"]]);
  begun[0]?.end();
  await settled();
  expect(names().slice(2)).toEqual([["b"], ["a", "a"]]);
  begun[2]?.end();
  begun[3]?.end();
  await drained;
});

test("claims are spread over the commits that may begin, and leave room for what is said", async () => {
  const { commits, begun, names } = slowStore(2);
  for (const command of [claim, pause("a"), claim, pause("b"), claim]) void commits.submit(command);
  await settled();
  expect(names()).toEqual([["claim_work", "a", "claim_work", "b"], ["claim_work"]]);
  for (const command of [claim, claim]) void commits.submit(command);
  await settled();
  begun[0]?.end();
  await settled();
  expect(names().slice(2)).toEqual([["claim_work", "claim_work"]]); // no other commit starts: no command is waiting
});
