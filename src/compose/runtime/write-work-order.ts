import { type Clock, dayStamp, isoTime, type JsonObject, ok, type Result, type WorkOrderId, workOrderId } from "#base";
import type { WorkOrderV1 } from "#schemas";
import { matchSkill, type Skills, selectSkill } from "#skills";
import type { OrderStore } from "#store";

export interface OrderWishes {
  readonly skill?: string;
  readonly profile?: string;
  /** Paths that may be written, besides the default. */
  readonly allow?: readonly string[];
}

/** Where a request may write unless the person names more. */
const defaultScope = ["output/**", "notes/**"];

/** The work order of a person's request: the skill that its words name, that skill's tools, and nothing beyond. */
export async function writeWorkOrder(
  sources: { readonly store: OrderStore; readonly skills: Skills; readonly clock: Clock },
  prompt: string,
  wishes: OrderWishes,
): Promise<Result<WorkOrderV1>> {
  const discovered = await sources.skills.discover();
  if (!discovered.ok) return discovered;
  const { skills } = discovered.value;
  const match = wishes.skill === undefined ? ok(matchSkill(prompt, skills)) : selectSkill(wishes.skill, skills);
  if (!match.ok) return match;
  const skill = match.value.selected;
  const id = await nextOrderId(sources.store, sources.clock);
  if (!id.ok) return id;
  return ok({
    work_order_id: id.value,
    type: "plan-work-review",
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    scope: { allowed_files: [...defaultScope, ...(wishes.allow ?? [])] },
    acceptance: { tests: [], checks: [] },
    input: { prompt },
    tool_permissions: skill ? [...skill.allowedTools] : [],
    // A skill that its triggers chose is chosen again in the flow, where the log says which words did it.
    ...(wishes.skill === undefined ? {} : { skill: wishes.skill }),
    ...(wishes.profile === undefined ? {} : { profile: wishes.profile }),
    created_at: isoTime(sources.clock.now()),
    schema_version: "v1",
  });
}

/** A number of the day that no other process has or will get. */
export async function nextOrderId(store: OrderStore, clock: Clock): Promise<Result<WorkOrderId>> {
  const now = clock.now();
  const number = await store.takeWorkOrderNumbers(dayStamp(now), 1);
  return number.ok ? ok(workOrderId(now, number.value)) : number;
}

/** The work order of one tool call that a person makes at the command line: that tool, and the paths they named. */
export async function writeToolOrder(
  sources: { readonly store: OrderStore; readonly clock: Clock },
  call: { readonly tool: string; readonly args: JsonObject; readonly allow: readonly string[] },
): Promise<Result<WorkOrderV1>> {
  const id = await nextOrderId(sources.store, sources.clock);
  if (!id.ok) return id;
  return ok({
    work_order_id: id.value,
    type: "tool-call",
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    scope: { allowed_files: [...defaultScope, ...call.allow] },
    acceptance: { tests: [], checks: [] },
    input: { tool: call.tool, args: call.args },
    tool_permissions: [call.tool],
    created_at: isoTime(sources.clock.now()),
    schema_version: "v1",
  });
}
