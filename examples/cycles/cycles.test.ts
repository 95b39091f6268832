import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { SessionId } from "#base";
import type { Event } from "#events";
import { type TestWorkspace, testWorkspace } from "../../test/support/runtime-workspace.ts";

const here = import.meta.dirname;
const cycles = readdirSync(here, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** `WRIT_KEEP=1 vitest run examples/cycles` writes the outputs anew. */
const keeps = process.env["WRIT_KEEP"] === "1";

test.each(cycles)("%s gives what is kept of it", async (cycle) => {
  const read = (file: string) => parse(readFileSync(join(here, cycle, file), "utf8"));
  await using workspace = await testWorkspace({ rules: read("script.yaml").rules });
  const order = await workspace.runtime.writeCycleOrder(cycle, { input: read("input.yaml") });
  if (!order.ok) throw new Error(order.error.message);
  const { caller } = workspace.runtime;
  let result = await workspace.runtime.runFlow({ work_order: { ...order.value }, caller_id: caller });
  const session_id = result.session_id as SessionId;
  if (result.status === "waiting") {
    await approve(workspace);
    const resumed = await workspace.runtime.resumeSession(session_id);
    if (!resumed.ok) throw new Error(resumed.error.message);
    result = resumed.value;
  }
  expect(result, result.error ?? "").toMatchObject({ status: "success", verdict: "done" });
  expect(await workspace.runtime.verifySession(session_id)).toMatchObject({ ok: true, violations: [] });
  const events = await workspace.events(session_id);
  const artifacts = events.filter(
    (event): event is Event<"workflow.artifact_written"> => event.type === "workflow.artifact_written",
  );
  const output = new Map([["told.txt", tell(events)]]);
  for (const { payload } of artifacts) {
    const name = payload.path.split("/").at(-1) ?? "";
    output.set(
      name.replace(/^\d{4}-\d{2}-\d{2}-/, "").replace(`-${session_id.slice(-6)}`, ""),
      await workspace.read(payload.path),
    );
  }
  compare(join(here, cycle, "output"), output);
});

async function approve({ runtime }: TestWorkspace): Promise<void> {
  const waiting = await runtime.inbox.list({ state: "open", limit: 10 });
  const by = runtime.localCaller();
  if (!waiting.ok || !by.ok) throw new Error("nothing waits");
  for (const { approval_id, subject_hash } of waiting.value) {
    const decided = await runtime.decisions.decide(by.value, approval_id, {
      choice: "approve",
      subject_hash,
      reason: "ship it",
    });
    if (!decided.ok) throw new Error(decided.error.message);
  }
}

/** The way of a cycle in lines, without what changes from run to run. */
function tell(events: readonly Event[]): string {
  const lines = events.flatMap((event): readonly string[] => {
    const payload = event.payload as never as Record<string, string | number | null | undefined | { length: number }>;
    switch (event.type) {
      case "workflow.entered":
        return [`${payload["phase"]}, visit ${payload["visit"]}`];
      case "workflow.gathered": {
        const { findings, coverage } = (event as Event<"workflow.gathered">).payload;
        return [
          `  ${coverage.reported.join(", ")} answered`,
          ...findings.map(
            ({ severity, confidence, title, reviewers }) =>
              `  ${severity} (${confidence}) ${title}, by ${reviewers?.join(" and ")}`,
          ),
        ];
      }
      case "workflow.policy_gated":
        return [`  ${payload["policy_id"]}: ${payload["decision"]}, ${payload["reason"]}`];
      case "workflow.approval_given":
        return [`  ${payload["decision"]} by a person: ${payload["reason"]}`];
      case "workflow.judged":
        return [
          `  ${payload["outcome"]}${payload["to"] === undefined ? "" : ` to ${payload["to"]}`}: ${payload["reason"]}`,
        ];
      case "workflow.completed":
        return [`${payload["verdict"]}: ${payload["reason"]}`];
      default:
        return [];
    }
  });
  return `${lines.join("\n")}\n`;
}

function compare(folder: string, output: ReadonlyMap<string, string>): void {
  if (keeps) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of output) writeFileSync(join(folder, name), text);
  }
  expect(readdirSync(folder).toSorted()).toEqual([...output.keys()].toSorted());
  for (const [name, text] of output) expect(text, name).toBe(readFileSync(join(folder, name), "utf8"));
}
