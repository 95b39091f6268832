import type { PatchOperationsV1 } from "#core/contracts";
import { type JsonValue, parseJson } from "#core/values";
import type { UnnumberedOrder } from "#work";
import type { Lease } from "../kernel/records.ts";
import type { WorkHandler, WorkOutcome } from "../kernel/run-worker.ts";
import { type Attempted, attemptOrder } from "./attempt-order.ts";
import { fillTarget } from "./fill-target.ts";
import { orderOfWork } from "./order-of-work.ts";
import type { WorkerPorts } from "./ports.ts";
import { readWorkInput, type WorkInput } from "./work-input.ts";
import { factsOf, unsuccessful } from "./work-outcome.ts";

/**
 * Any other work. With a target from the app, the work is planned, done and reviewed, and its output fills the target; without
 * one, the agent proposes operations, and the app decides about them.
 */
export function agent(ports: WorkerPorts): WorkHandler {
  return async (lease, { signal }) => {
    const input = readWorkInput(lease);
    if (!input.ok) return { status: "failed", reason: input.error.message, code: input.error.code };
    const attempted = await attemptOrder(ports, lease, orderOf(lease, input.value), signal);
    if (attempted.result.status !== "success") return unsuccessful(attempted);
    return outcomeOf(input.value, attempted);
  };
}

function orderOf(lease: Lease, input: WorkInput): UnnumberedOrder {
  const { framework, skill, strategy, target, tools } = input;
  const parts = {
    input: { ...input.raw, prompt: promptOf(lease, input) },
    tools,
    ...(framework === undefined ? {} : { framework_id: framework }),
  };
  if (target !== undefined)
    return orderOfWork(lease, {
      ...parts,
      type: strategy ?? "plan-work-review",
      ...(skill === undefined ? {} : { skill }),
    });
  const io_schema = { output_schema: "patch_operations_v1" };
  if (strategy !== undefined) return orderOfWork(lease, { ...parts, type: strategy, io_schema });
  // A framework of the workspace has contracts of its own for orders of this type.
  const prompt_contract_id = framework === undefined ? { prompt_contract_id: "PRC-AGENT-001" } : {};
  return orderOfWork(lease, { ...parts, type: "agent", ...prompt_contract_id, io_schema });
}

function promptOf(lease: Lease, { notes, document }: WorkInput): string {
  const about = [notes, document === undefined ? undefined : `The document as it is:\n\n${document}`];
  return [lease.objective, ...about.filter((part) => part !== undefined)].join("\n\n");
}

function outcomeOf(input: WorkInput, attempted: Attempted): WorkOutcome {
  const response = attempted.result.response ?? "";
  const facts = factsOf(attempted);
  const patch = (ops: readonly JsonValue[], summary: string): WorkOutcome => ({
    status: "completed",
    result: { ...facts, summary },
    patches: [{ base_revision_id: input.base_revision_id, ops }],
  });
  if (input.target !== undefined) {
    const op = fillTarget(input.target, response.endsWith("\n") ? response : `${response}\n`);
    return op.ok
      ? patch([op.value], firstLine(response))
      : { status: "failed", reason: op.error.message, code: op.error.code };
  }
  const proposed = parseJson(response);
  if (!proposed.ok) return { status: "failed", reason: proposed.error.message, code: proposed.error.code };
  const { ops, summary } = proposed.value as unknown as PatchOperationsV1; // the flow has checked it against its schema
  return patch(ops as JsonValue[], summary);
}

function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 400).toWellFormed();
}
