import type { SchemaTypes } from "#core/contracts";

/** L3's six roles and the contract that each one's output must satisfy. */
export interface RoleOutputs {
  readonly lead: "lead_directive_v1";
  readonly planner: "plan_v1";
  readonly worker: "worker_report_v1";
  readonly reviewer: "review_result_v1";
  readonly advisor: "advisor_note_v1";
  readonly scaffolder: "scaffold_report_v1";
}

export type Role = keyof RoleOutputs;
/** The agents with a prompt file in `agents/`: the roles, and the agent that carries out a request alone. */
export type PromptedRole = Role | "solo";
export type RoleOutput<R extends Role> = SchemaTypes[RoleOutputs[R]];

export const roleSchemas: RoleOutputs = {
  lead: "lead_directive_v1",
  planner: "plan_v1",
  worker: "worker_report_v1",
  reviewer: "review_result_v1",
  advisor: "advisor_note_v1",
  scaffolder: "scaffold_report_v1",
};
