import { type DomainError, ok, type Result } from "#base";
import type { EventInput } from "#events";
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
