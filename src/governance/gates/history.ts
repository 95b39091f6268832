import { checkWorkOrder, type SchemaRegistry, type WorkOrder } from "#core/contracts";
import type { JsonObject } from "#core/values";
import { checkChain, covers, orderNeeds } from "#people";
import { matchesPath } from "../paths/path-patterns.ts";
import { whyLongProtected } from "../paths/protected-paths.ts";
import { type Finding, type GateVerdict, verdict } from "./gate.ts";

/** What one session's events say, as far as gates ask. */
export interface SessionFacts {
  readonly session_id: string;
  readonly work_order_id: string | null;
  /** It called a model or a tool, or ran a turn. */
  readonly acted: boolean;
  readonly started: {
    readonly work_order: unknown;
    readonly caller_id: string;
    readonly dev_mode: boolean;
    readonly path_authorizations: readonly string[];
    readonly agent_class: string;
    readonly at: string;
    /** What a child may do was weighed when its parent handed it down. */
    readonly is_child: boolean;
  } | null;
  readonly completed: boolean;
  /** What `acceptance.checked` said before the order was completed; null when it said nothing. */
  readonly accepted: boolean | null;
  readonly writes: readonly string[];
  /** Files whose content was read, as tools and attention recorded them. */
  readonly reads: readonly string[];
  /** What of all that its recorded mandate does not grant; null where none is recorded. */
  readonly outside: readonly string[] | null;
}

/** G2. Whatever acted did so under a work order that its contract accepts and that reaches its caller. */
export function ordersAuthorized(sessions: readonly SessionFacts[], schemas: SchemaRegistry): GateVerdict {
  const findings: Finding[] = [];
  for (const { session_id, work_order_id, acted, started } of sessions) {
    if (acted && !work_order_id) findings.push({ subject: session_id, message: "it acted without a work order" });
    if (!started) continue;
    const order = checkWorkOrder(schemas, started.work_order);
    if (!order.ok) {
      findings.push({ subject: session_id, message: `its work order is not valid: ${order.error.message}` });
      continue;
    }
    const why = started.dev_mode || started.is_child ? undefined : whyUnauthorized(order.value, started);
    if (why !== undefined) findings.push({ subject: session_id, message: `${order.value.work_order_id}: ${why}` });
  }
  return verdict("G2", sessions.length, findings);
}

/**
 * Checks an order's authorization again, as of when it began: each link hands on no more than it received, and the last one names
 * the submitter and covers all that the order needs. The first granter, and the roles of a caller without a chain, are not checked:
 * they follow from the configuration, which may have changed since for good reasons.
 */
function whyUnauthorized(order: WorkOrder, started: NonNullable<SessionFacts["started"]>): string | undefined {
  if (!order.authorization) return undefined;
  const chained = checkChain(order.authorization.chain, {
    callerId: started.caller_id,
    rootGrants: () => ["*"],
    keysOf: null,
    nowIso: started.at,
    asked: null,
  });
  if (!chained.ok) return chained.error.message;
  const missing = orderNeeds(order, started.agent_class).find(({ right }) => !covers(chained.value.grants, right));
  return missing && `its authorization does not grant "${missing.right}" (${missing.because})`;
}

/**
 * G3. Whatever was read or written lies where the mandate of its session allows it, and nothing that was written where that is
 * protected. A session from before mandates were recorded is judged by its framework and work order, and its writes alone.
 */
export function pathsRespected(sessions: readonly SessionFacts[]): GateVerdict {
  const findings: Finding[] = [];
  let checked = 0;
  for (const { session_id, started, writes, reads, outside } of sessions) {
    checked += writes.length + reads.length;
    for (const message of outside ?? []) findings.push({ subject: session_id, message });
    for (const path of writes) {
      const why = whyForbidden(path, outside === null ? started : null);
      if (why !== undefined) findings.push({ subject: session_id, message: `it wrote ${path}: ${why}` });
    }
  }
  return verdict("G3", checked, findings);
}

function whyForbidden(path: string, started: SessionFacts["started"]): string | undefined {
  const forbidden = whyLongProtected(path);
  if (forbidden !== undefined) return `nobody may, ${forbidden}`;
  if (!started) return undefined;
  const scope = (started.work_order as JsonObject | null)?.["scope"] as
    | { allowed_files?: readonly string[] }
    | undefined;
  if (!matchesPath(started.path_authorizations, path)) return "its framework's path_authorizations do not name it";
  return matchesPath(scope?.allowed_files ?? [], path)
    ? undefined
    : "its work order's scope.allowed_files do not name it";
}

/** G4. No order was completed before its acceptance was checked, passed and recorded. */
export function acceptanceRecorded(sessions: readonly SessionFacts[]): GateVerdict {
  const completed = sessions.filter((session) => session.completed);
  const findings = completed.flatMap(({ session_id, accepted }): readonly Finding[] =>
    accepted === true
      ? []
      : [
          {
            subject: session_id,
            message:
              accepted === null
                ? "completed without a record of its acceptance"
                : "completed although its acceptance failed",
          },
        ],
  );
  return verdict("G4", completed.length, findings);
}
