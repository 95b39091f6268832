import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { filesOfConfig } from "#governance";
import type { Capabilities, Operation } from "../effects/turns/capability/capabilities.ts";
import { createCapabilityEnforcer } from "../effects/turns/capability/enforcer.ts";
import type { Runtime } from "../main/parts.ts";

/** What a package's turns may do in one session, before any of them runs. */
export interface TurnRights {
  /** Whether an operation on a path is allowed. */
  check(operation: Operation, path: string): boolean;
  /** The same with the path as it was resolved, or `CAPABILITY_VIOLATION` with the rule that refused it. */
  enforce(operation: Operation, path: string): Result<{ readonly path: string }>;
  /** Whether no grant could allow a path: it lies outside, is protected, or a forbidden pattern covers it. */
  isForbidden(path: string): boolean;
}

/** Of an installed package by its id, or of capabilities as a package would declare them. */
export function turnRights(
  { root, config, packages }: Pick<Runtime, "root" | "config" | "packages">,
  of: string | Capabilities,
  session_id = "SES-00000000-00000000000000000000",
): Result<TurnRights> {
  const capabilities = typeof of === "string" ? packages.installer.capabilitiesOf(of) : ok(of);
  if (!capabilities.ok) return capabilities;
  const named = filesOfConfig(config, root);
  const enforcer = createCapabilityEnforcer({ root, sessionId: session_id, capabilities: capabilities.value, named });
  if (!enforcer.ok) return enforcer;
  const { check, enforce, isForbidden, explainCommand } = enforcer.value;
  // What is executed is a program with its arguments, which has rules of its own.
  const mayStart = (program: string) => explainCommand(program.split(" "));
  return ok({
    isForbidden,
    check: (operation, path) => (operation === "execute" ? mayStart(path).allowed : check(operation, path)),
    enforce(operation, path) {
      if (operation !== "execute") return enforce(operation, path);
      const { allowed, reason } = mayStart(path);
      return allowed ? ok({ path }) : err(refused(path, reason));
    },
  });
}

function refused(path: string, reason: string): DomainError {
  return domainError("CAPABILITY_VIOLATION", `the turn may not execute ${JSON.stringify(path)}: ${reason}`, {
    details: { operation: "execute", path },
  });
}
