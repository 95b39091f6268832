import { type DomainError } from "#core/errors";
import { ok, type Result } from "#core/values";
import type { EventInput } from "#log";
import type { DispatchDeps } from "./dispatch-deps.ts";

type Violations = EventInput<"schema.violation">["payload"]["violations"];

/** Whatever broke a tool's contract is in the log as a violation of it; other errors leave no such trace. */
export function recordViolation(error: DomainError, schemaId: string, deps: DispatchDeps): Result<void> {
  if (error.code !== "SCHEMA_VIOLATION") return ok(undefined);
  const { violations, path, expected, found } = error.details as Partial<Violations[number]> & {
    violations?: Violations;
  };
  const recorded = deps.recorder.stage({
    type: "schema.violation",
    actor: "dispatch",
    payload: {
      schema_id: schemaId,
      where: "tools.dispatch",
      violations: violations ?? [
        { path: path ?? "$", expected: expected ?? "a value that fits", found: found ?? error.message },
      ],
    },
  });
  return recorded.ok ? ok(undefined) : recorded;
}
