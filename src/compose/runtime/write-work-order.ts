import { type Clock, dayStamp, isoTime, ok, type Result, workOrderId } from "#base";
import type { WorkOrderV1 } from "#schemas";
import { matchSkill, type Skills, selectSkill } from "#skills";
import type { SharedStore } from "#store";

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
  sources: { readonly store: SharedStore; readonly skills: Skills; readonly clock: Clock },
  prompt: string,
  wishes: OrderWishes,
): Promise<Result<WorkOrderV1>> {
  const discovered = await sources.skills.discover();
  if (!discovered.ok) return discovered;
  const { skills } = discovered.value;
  const match = wishes.skill === undefined ? ok(matchSkill(prompt, skills)) : selectSkill(wishes.skill, skills);
  if (!match.ok) return match;
  const skill = match.value.selected;
  const now = sources.clock.now();
  const number = sources.store.takeWorkOrderNumbers(dayStamp(now), 1);
  if (!number.ok) return number;
  return ok({
    work_order_id: workOrderId(now, number.value),
    type: "plan-work-review",
    plane_id: "ho1",
    spec_id: "SPEC-ORCHESTRATION-001",
    framework_id: "FMWK-005",
    scope: { allowed_files: [...defaultScope, ...(wishes.allow ?? [])] },
    acceptance: { tests: [], checks: [] },
    input: { prompt },
    tool_permissions: skill ? [...skill.allowedTools] : [],
    ...(skill ? { skill: skill.id } : {}),
    ...(wishes.profile === undefined ? {} : { profile: wishes.profile }),
    created_at: isoTime(now),
    schema_version: "v1",
  });
}
