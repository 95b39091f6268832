import { type DomainError, domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { Act, Decision } from "#governance/mandate";
import type { ToolDef, ToolScope } from "./tool.ts";

/** What the mandate says to a call that it permits. */
export interface Permitted {
  /** The permission that was charged, to be given back if the call does not start. */
  readonly charge: string | undefined;
  /** Why a person has to approve the call first. */
  readonly approval: Decision["approval"];
  /** The files of the class code-that-runs that the call writes, each with its reason. */
  readonly code: readonly string[];
}

/** Asks the mandate about a call as it would run, and about every act that the tool says it will do. */
export function permit(tool: ToolDef, args: JsonObject, { mandate, charges }: ToolScope): Result<Permitted> {
  const called = mandate.decide({ kind: "tool", tool: tool.name, args, charged: charges.of });
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
  if (called.charge !== undefined) charges.take(called.charge);
  return ok({ charge: called.charge, approval, code });
}

/** A recorded call counts against its permission too. It was permitted when it was recorded, so it is not judged again. */
export function chargeRecorded(tool: string, args: JsonObject, { mandate, charges }: ToolScope): void {
  const { charge } = mandate.decide({ kind: "tool", tool, args, charged: charges.of });
  if (charge !== undefined) charges.take(charge);
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

function whatIsRefused(act: Act): string {
  switch (act.kind) {
    case "read":
      return `${JSON.stringify(act.path)} is not among the paths that may be read`;
    case "write":
      return `${JSON.stringify(act.path)} is not among the paths that may be written`;
    case "delete":
      return `${JSON.stringify(act.path)} is not among the paths that may be deleted`;
    case "program":
      return `${JSON.stringify(act.command.join(" "))} is not among the programs that may be started`;
    case "open":
      return `a sealed value (${act.from}) may not be given to "${act.tool}"`;
    case "host":
      return `${act.host} is not among the hosts that may be reached`;
    case "model":
      return `${act.model} is not among the models that may be called`;
    case "tool":
      return `"${act.tool}" is not among the tools that may be called`;
  }
}
