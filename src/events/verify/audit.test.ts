import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventsOf, writeGreeting } from "../../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";
import type { Event, EventType } from "../event.ts";
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
        event.type === "hook.fired" &&
        (event as Event<"hook.fired">).payload.point === "PreToolUse" &&
        (event as Event<"hook.fired">).payload.decision === "allow",
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
