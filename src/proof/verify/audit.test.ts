import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Event, EventType } from "#log";
import { eventsOf, writeGreeting } from "../../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";
import { Audit } from "./audit.ts";

const workspace = new SealedWorkspace(21);
let events: readonly Event[];

beforeAll(async () => {
  const { session_id } = await writeGreeting(workspace.log, { calls: 2, denied: true });
  events = await eventsOf(workspace.log, session_id);
  await workspace.shut();
});
afterAll(() => workspace.remove());

function findings(recorded: readonly Event[]): readonly string[] {
  const audit = new Audit();
  for (const event of recorded) audit.add(event);
  return audit.finish().map(({ kind }) => kind);
}
const without = (type: EventType, which = 0) => {
  const all = events.filter((event) => event.type === type);
  return events.filter((event) => event !== all[which]);
};

describe("the audit of a closed session", () => {
  test("finds nothing missing in a whole one", () => {
    expect(findings(events)).toEqual([]);
  });

  test.each<[EventType, string]>([
    ["llm.request", "audit_llm"],
    ["llm.response", "audit_llm"],
    ["tool.invoke", "audit_tool"],
    ["tool.result", "audit_tool"],
    ["skill.invoke", "audit_skill"],
    ["skill.complete", "audit_skill"],
    ["wo.completed", "audit_work_order"],
  ])("finds a missing %s", (type, kind) => {
    expect(findings(without(type))).toEqual([kind]);
  });

  test("finds a missing transition", () => {
    expect(findings(without("agent.transition", 1))).toEqual(["audit_transition"]);
  });

  test("finds a tool that ran without a decision that allowed it", () => {
    const permit = events.find(
      (event) =>
        event.type === "hook.fired" && event.payload.point === "PreToolUse" && event.payload.decision === "allow",
    );
    expect(findings(events.filter((event) => event !== permit))).toEqual(["audit_hook"]);
  });

  test("finds a cycle without its end, and an end without its cycle", () => {
    const tell = (type: string, payload: object) => ({ ...events[0], type, payload }) as unknown as Event;
    expect(findings([tell("workflow.started", { cycle_id: "compound" })])).toEqual(["audit_workflow"]);
    expect(findings([tell("workflow.aborted", { cycle_id: "compound" })])).toEqual(["audit_workflow"]);
  });

  test("names the event that lacks its answer", () => {
    const audit = new Audit();
    for (const event of without("tool.result")) audit.add(event);
    const invoke = events.find(({ type }) => type === "tool.invoke");
    expect(audit.finish()[0]).toMatchObject({
      at: invoke?.seq,
      message: `the call of echo (event ${invoke?.seq}) has no result`,
    });
  });
});

/** The session that `writ run "greet Ada"` left behind: every gate, every pair, every transition of a whole request. */
function keptSession(): readonly Event[] {
  const folder = fileURLToPath(new URL("../../../examples/greet/session/", import.meta.url));
  const [session = ""] = readdirSync(folder);
  const text = readFileSync(`${folder}${session}/.events.jsonl`, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
}

describe("the audit of a request as the runtime records it", () => {
  const kept = keptSession();
  const kinds: Partial<Record<EventType, string>> = {
    "hook.fired": "audit_hook",
    "agent.transition": "audit_transition",
    "llm.request": "audit_llm",
    "llm.response": "audit_llm",
    "tool.invoke": "audit_tool",
    "tool.result": "audit_tool",
    "worker.report": "audit_transition",
    "skill.invoke": "audit_skill",
    "skill.complete": "audit_skill",
    "wo.started": "audit_work_order",
    "wo.completed": "audit_work_order",
  };
  const audited = kept.flatMap((event) => {
    const kind = kinds[event.type];
    return kind === undefined ? [] : [{ event, kind, name: `${event.seq} ${event.type} ${pointOf(event)}` }];
  });

  test("finds nothing missing while nothing is", () => {
    expect(findings(kept)).toEqual([]);
    const points = audited.map(({ event }) => pointOf(event)).filter((point) => point !== "");
    expect(points).toEqual(["SessionStart", "UserPromptSubmit", "SkillStart", "PreToolUse", "PostToolUse", "Stop"]);
  });

  test.each(audited)("finds that $name is missing", ({ event, kind }) => {
    expect(findings(kept.filter((other) => other !== event))).toContain(kind);
  });

  test("a refusal for a broken contract needs the violation that it is for", () => {
    const tell = (type: string, payload: object) => ({ ...kept[0], type, payload }) as unknown as Event;
    const violation = tell("schema.violation", {
      schema_id: "echo arguments",
      where: "tools.dispatch",
      violations: [],
    });
    const refused = tell("tool.refused", { call_id: "c", name: "echo", code: "SCHEMA_VIOLATION", reason: "no text" });
    const withheld = tell("tool.output", {
      call_id: "c",
      name: "echo",
      shown: false,
      error: { code: "SCHEMA_VIOLATION" },
    });
    expect(findings([violation, refused, violation, withheld])).toEqual([]);
    expect(findings([refused])).toEqual(["audit_schema"]);
    expect(findings([violation, refused, withheld])).toEqual(["audit_schema"]);
  });
});

function pointOf(event: Event): string {
  return event.type === "hook.fired" ? event.payload.point : "";
}
