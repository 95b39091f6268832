import type { SchemaRegistry, SchemaTypes } from "#core/contracts";
import { type Shape, shapeOfSchema } from "#core/expressions";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowState, StrategyOutcome } from "../flow/flow.ts";
import type { ChangedFile } from "./changed-files.ts";

export type AcceptanceFacts = SchemaTypes["acceptance_facts_v1"];

/** What the criteria judge, before any of them has run. */
export function factsOf(
  { tally, children, files }: Pick<FlowState, "tally" | "children"> & { readonly files: readonly ChangedFile[] },
  context: ExecutionContext,
  { response, verdict }: StrategyOutcome,
): AcceptanceFacts {
  return {
    work_order_id: context.work_order.work_order_id,
    session_id: context.session_id,
    answer: response,
    verdict,
    files: [...files],
    tool_calls: Object.fromEntries(tally.toolCalls),
    counts: {
      files: files.length,
      tool_calls: [...tally.toolCalls.values()].reduce((sum, calls) => sum + calls, 0),
      failed_tool_calls: tally.failedToolCalls,
      refused_tool_calls: tally.refusedToolCalls,
      model_calls: tally.modelCalls,
      child_orders: children.length,
    },
    cost: {
      input_tokens: tally.cost.tokens?.input ?? 0,
      output_tokens: tally.cost.tokens?.output ?? 0,
      usd_spent: tally.cost.usd,
    },
    exit_codes: {},
  };
}

const shapes = new WeakMap<SchemaRegistry, Shape>();

/** The names that an expression may read. */
export function shapeOfFacts(schemas: SchemaRegistry): Shape {
  const known = shapes.get(schemas);
  if (known) return known;
  const schema = schemas.schema("acceptance_facts_v1");
  const shape: Shape = schema.ok ? shapeOfSchema(schema.value) : { kind: "fields", fields: {} };
  shapes.set(schemas, shape);
  return shape;
}
