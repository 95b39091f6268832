import type { JsonValue, Result } from "#core/values";
import type { AgentContext } from "./agent-context.ts";
import { type Answer, ask } from "./ask.ts";
import { type Role, type RoleOutput, roleSchemas } from "./role.ts";

export interface RoleCall<R extends Role> {
  readonly role: R;
  readonly agent_id: string;
  /** What the role is handed: JSON, never prose. */
  readonly handoff: JsonValue;
  /** Further data, each piece between marks of its own. */
  readonly data?: readonly string[];
  readonly usesTools?: boolean;
  readonly stepId?: string;
}

/** Asks a role under its own prompt, for the output that its contract names. */
export async function callRole<R extends Role>(
  context: AgentContext,
  call: RoleCall<R>,
): Promise<Result<Answer<RoleOutput<R>>>> {
  const instructions = await context.rolePrompt(call.role);
  if (!instructions.ok) return instructions;
  return ask(context, { ...call, instructions: instructions.value, schema_id: roleSchemas[call.role] });
}
