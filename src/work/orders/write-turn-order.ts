import type { TurnRequestV1, WorkOrder } from "#core/contracts";
import { err, ok, type Result } from "#core/values";
import type { OpenOrder } from "./open-order.ts";
import { refusal } from "./open-order.ts";
import type { OrderParts } from "./write-order.ts";

/** The turn's own limit comes first; the order also waits for its commit. */
const commitSeconds = 30;

/** The work order of one turn that a person orders at the command line: what it declares is all it may write. */
export function turnOrder({ work_order_id: _, session_id: __, ...turn }: TurnRequestV1): OrderParts {
  const timeout = turn.limits?.timeout_seconds;
  return {
    type: "turn",
    allowedFiles: turn.declared_outputs.map(({ path }) => patternOf(path)),
    // The package's capabilities say what the turn sees.
    readFiles: ["**"],
    input: { turn },
    ...(timeout === undefined ? {} : { budget: { timeout_seconds: Math.ceil(timeout) + commitSeconds } }),
  };
}

/** The same under an open order: a child of it, which reads and starts no more than the order may, and writes what it declares. */
export function turnOrderUnder(open: OpenOrder, turn: TurnRequestV1): Result<OrderParts & Pick<WorkOrder, "scope">> {
  const narrow = whyTooNarrow(open, turn);
  if (narrow !== undefined) return err(refusal(turn, narrow));
  const { order, mandate } = open;
  const { allowed_files = [], read_files = [], description: _, ...held } = order.scope;
  const own = turnOrder(turn);
  const { value: most } = mandate.document.limits.timeout_seconds;
  return ok({
    ...own,
    plane_id: order.plane_id,
    spec_id: order.spec_id,
    framework_id: order.framework_id,
    ...(order.agent_class === undefined ? {} : { agent_class: order.agent_class }),
    ...(order.approvals === undefined ? {} : { approvals: order.approvals }),
    scope: { ...held, allowed_files: [...(own.allowedFiles ?? [])], read_files: [...allowed_files, ...read_files] },
    budget: { timeout_seconds: Math.min(own.budget?.timeout_seconds ?? most, most) },
    parent_work_order_id: order.work_order_id,
  });
}

/** Asks the order's mandate about the program and each declared output. What the program reads is asked when it runs. */
function whyTooNarrow({ order, mandate }: OpenOrder, turn: TurnRequestV1): string | undefined {
  // A function of the embedding program is no program that an order would have to grant.
  if (order.type !== "turn" && turn.handler !== undefined) {
    const command = turn.handler?.command ?? [turn.handler?.module ?? ""];
    const program = mandate.decide({ kind: "tool", tool: "exec", args: { command } });
    if (!program.allowed) return `it may run no program: ${program.reason}`;
    if (program.approval) return `a person has to be asked about its programs: ${program.approval.reason}`;
    if (mandate.document.permissions.some(({ path, max_calls }) => path === program.charge && max_calls !== undefined))
      return `it counts its programs (${program.charge}.max_calls), and a turn from outside is not counted there`;
  }
  for (const { path, action } of turn.declared_outputs) {
    const kind = action === "delete" ? "delete" : "write";
    const named = path.replaceAll("<session_id>", "SES-00000000-00000000000000000000");
    const isFolder = named.endsWith("/");
    // Of a folder each file is judged when it has been written; here only whether any could be.
    if (isFolder && mandate.mayWriteBelow(named.slice(0, -1))) continue;
    const decision = mandate.decide({ kind, path: isFolder ? `${named}x` : named });
    if (!decision.allowed) return `it may not ${kind} ${path}: ${decision.reason}`;
    if (decision.approval) return `to ${kind} ${path} a person has to be asked: ${decision.approval.reason}`;
  }
  return undefined;
}

/** A declared path as a glob that names it: the session's id is not known yet, and its own special characters stand for any one. */
function patternOf(path: string): string {
  return path
    .split("<session_id>")
    .map((part) => part.replaceAll(/[*?[\]{}()!+@|]/g, "?"))
    .join("*");
}
