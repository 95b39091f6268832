import type { ToolInvokeEventV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { Act, Decision } from "#governance/mandate";
import type { ToolDef, ToolScope } from "./tool.ts";

/** What the mandate says to a call that it permits. */
export interface Permitted {
  /** What was charged, to be given back if the call does not start. */
  readonly charged: Pick<Decision, "charge" | "above">;
  /** Why a person has to approve the call first. */
  readonly approval: Decision["approval"];
  /** The files of the class code-that-runs that the call writes, each with its reason. */
  readonly code: readonly string[];
}

/** Asks the mandate about a call as it would run, and about every act that the tool says it will do. */
export function permit(tool: ToolDef, args: JsonObject, { mandate, charges }: ToolScope): Result<Permitted> {
  const called = mandate.decide({ kind: "tool", tool: tool.name, args, charged: charges });
  if (!called.allowed)
    return err(
      refusal("TOOL_NOT_ALLOWED", `"${tool.name}" may not be called like this: ${called.reason}`, called.clauses),
    );
  let approval = called.approval;
  const code: string[] = [];
  for (const act of tool.acts?.(args) ?? []) {
    const decision = mandate.decide(act);
    if (!decision.allowed)
      return err(refusal("CAPABILITY_VIOLATION", `${whatIsRefused(act)}: ${decision.reason}`, decision.clauses));
    approval ??= decision.approval;
    if (decision.code_that_runs !== undefined && "path" in act) code.push(`${act.path} (${decision.code_that_runs})`);
  }
  charges.take(called);
  return ok({ charged: called, approval, code });
}

/**
 * A recorded call counts against its order's permission too. It was permitted when it was recorded, so it is not judged
 * again. `level` is how far above the call's own order that order is.
 */
export function chargeRecorded(
  { name, args, charged }: Pick<ToolInvokeEventV1, "name" | "args" | "charged">,
  { mandate, charges }: Pick<ToolScope, "mandate" | "charges">,
  level = 0,
): void {
  // Older records name no charge: the permission is found by the arguments.
  const decided = () => mandate.decide({ kind: "tool", tool: name, args: args as JsonObject, charged: charges }).charge;
  const charge = charged === undefined ? decided() : charged[level];
  if (charge !== undefined && charge !== "") charges.take({ charge });
}

export function refusal(
  code: "TOOL_NOT_ALLOWED" | "CAPABILITY_VIOLATION",
  message: string,
  clauses: Decision["clauses"],
): DomainError {
  return domainError(code, message, {
    details: { clauses: clauses.map(({ document, path }) => ({ document, path })) },
  });
}

export function whatIsRefused(act: Act): string {
  switch (act.kind) {
    case "read":
      return `${JSON.stringify(act.path)} is not among the paths that may be read`;
    case "write":
      return `${JSON.stringify(act.path)} is not among the paths that may be written`;
    case "delete":
      return `${JSON.stringify(act.path)} is not among the paths that may be deleted`;
    case "load":
      return `${JSON.stringify(act.path)} is not among the instructions that may be loaded`;
    case "program":
      return `${JSON.stringify(act.command.join(" "))} is not among the programs that may be started`;
    case "open":
      return `a sealed value (${act.from}) may not be given to "${act.tool}"`;
    case "unconfined":
      return "no program may be started outside a sandbox under this order, for nothing would hold its limits there";
    case "host":
      return `${act.host} is not among the hosts that may be reached`;
    case "model":
      return `${act.model} is not among the models that may be called`;
    case "tool":
      return `"${act.tool}" is not among the tools that may be called`;
    case "profile":
      return `${act.profile ?? "the workspace's own profile"} is not the profile that may answer`;
    case "spend":
      return `${act.total} ${act.what} may not be used`;
    case "delegate":
      return `${act.count} orders may not be handed down`;
  }
}
