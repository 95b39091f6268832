import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { JsonObject, SessionId } from "#core/values";
import type { Event } from "#log";
import type { FlowResult } from "#work";
import type { TestWorkspace } from "./runtime-workspace.ts";
import { repository } from "./writ.ts";

/** Where the examples of the shipped cycles lie, a folder for each. */
export const examplesFolder: string = join(repository, "examples/cycles");
export const exampleCycles: readonly string[] = readdirSync(examplesFolder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

export interface ScriptRule {
  readonly when: { readonly persona?: string; readonly call?: number };
  readonly respond: {
    readonly json?: JsonObject;
    readonly tool_calls?: readonly { readonly name: string; readonly args: JsonObject }[];
  };
}

export interface CycleExample {
  readonly input: JsonObject;
  readonly rules: readonly ScriptRule[];
  /** What is kept of it: the way that it took, and its artifacts. */
  readonly output: ReadonlyMap<string, string>;
}

export function exampleOf(cycle: string): CycleExample {
  const read = (file: string) => readFileSync(join(examplesFolder, cycle, file), "utf8");
  return {
    input: parse(read("input.yaml")) as JsonObject,
    rules: (parse(read("script.yaml")) as { rules: readonly ScriptRule[] }).rules,
    get output() {
      return new Map(readdirSync(join(examplesFolder, cycle, "output")).map((name) => [name, read(`output/${name}`)]));
    },
  };
}

export interface RanExample {
  readonly result: FlowResult;
  readonly events: readonly Event[];
  readonly output: ReadonlyMap<string, string>;
}

/** Runs a shipped cycle over its example to the end; where it waits, a person says yes. */
export async function runExample(
  workspace: TestWorkspace,
  cycle: string,
  wanted: { readonly profile?: string } = {},
): Promise<RanExample> {
  const { runtime } = workspace;
  const order = await runtime.writeCycleOrder(cycle, { input: exampleOf(cycle).input, ...wanted });
  if (!order.ok) throw new Error(order.error.message);
  let result = await runtime.runFlow({ work_order: { ...order.value }, caller_id: runtime.caller }, { fresh: true });
  const session_id = result.session_id as SessionId;
  if (result.status === "waiting") {
    await approve(workspace);
    const resumed = await runtime.resumeSession(session_id);
    if (!resumed.ok) throw new Error(resumed.error.message);
    result = resumed.value;
  }
  const events = await workspace.events(session_id);
  const output = new Map([["told.txt", tell(events)]]);
  for (const event of events) {
    if (event.type !== "workflow.artifact_written") continue;
    const { path } = event.payload;
    const name = path.split("/").at(-1) ?? "";
    output.set(
      name.replace(/^\d{4}-\d{2}-\d{2}-/, "").replace(`-${session_id.slice(-6)}`, ""),
      await workspace.read(path),
    );
  }
  return { result, events, output };
}

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
    const payload = event.payload as unknown as Readonly<Record<string, string | number>>;
    switch (event.type) {
      case "workflow.entered":
        return [`${payload["phase"]}, visit ${payload["visit"]}`];
      case "workflow.gathered": {
        const { findings, coverage } = event.payload;
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
