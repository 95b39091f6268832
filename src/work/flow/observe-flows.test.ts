import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "#core/values";
import { testWorkspace } from "../../../test/support/runtime-workspace.ts";

/** Nothing is written because the log has been idle for a moment: only because a caller waits for it. */
const patient = {
  ...systemClock,
  after: (ms: number, call: () => void) => systemClock.after(Math.max(ms, 30_000), call),
};

/** The types of the events that were written with `type`, by one sync. */
function writtenWith(root: string, type: string): readonly string[] {
  const journals = readdirSync(join(root, "planes/hot/journal"), { recursive: true, encoding: "utf8" });
  const text = journals
    .filter((name) => name.endsWith(".journal"))
    .map((name) => readFileSync(join(root, "planes/hot/journal", name), "utf8"))
    .join("");
  const batches = text.split("@batch").map((batch) => [...batch.matchAll(/"type":"([a-z_.]+)"\}$/gmu)]);
  const types = batches.map((events) => events.map(([, found = ""]) => found));
  return types.find((each) => each.includes(type)) ?? [];
}

test("an order that nobody follows is on disk with its first call; one that is followed, before", async () => {
  const workspace = await testWorkspace({ rules: [{ respond: { text: "done" } }], clock: patient });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  const seen: string[] = [];
  expect(await workspace.order()).toMatchObject({ status: "success" });
  expect(writtenWith(workspace.root, "wo.started")).toContain("llm.request");
  await workspace.reopen();
  await workspace.order({}, { onEvent: ({ type }) => void seen.push(type) });
  expect(writtenWith(workspace.root, "wo.started").at(-1)).toBe("wo.started");
  expect(seen).toContain("session.close");
});
