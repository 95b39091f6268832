import { checkWorkOrder, validateAgainst, type WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { checkJson, err, isJsonObject, ok, type Result } from "#core/values";
import { criteriaOf } from "../acceptance/criteria.ts";
import type { FlowDependencies, FlowRequest } from "../flow/flow.ts";

/** Step 1. The order is what its contract says, and its input is what it promises. Who may submit it is weighed once its agent class is known. */
export function validateWorkOrder(deps: FlowDependencies, request: FlowRequest): Result<WorkOrder> {
  const plain = checkJson(request.work_order);
  const checked = plain.ok ? checkWorkOrder(deps.schemas, plain.value) : plain;
  if (!checked.ok)
    return err(
      domainError("WORK_ORDER_INVALID", `the work order is not valid: ${checked.error.message}`, {
        details: checked.error.details,
      }),
    );
  const order = checked.value;
  const named = checkNamedSchemas(deps, order);
  if (!named.ok) return named;
  const criteria = criteriaOf(order, deps.schemas);
  if (!criteria.ok) return criteria;
  const input = checkInput(deps, order);
  return input.ok ? ok(order) : input;
}

/** Refuses an unknown schema before the model is called: found after the answer, it would have cost what the answer cost. */
function checkNamedSchemas(deps: FlowDependencies, { io_schema, declared_outputs = [] }: WorkOrder): Result<void> {
  const named: readonly (readonly [where: string, schema: unknown])[] = [
    ["io_schema.input_schema", io_schema?.input_schema],
    ["io_schema.output_schema", io_schema?.output_schema],
    ...declared_outputs.map(({ schema_id }, index) => [`declared_outputs[${index}].schema_id`, schema_id] as const),
  ];
  for (const [where, schema] of named) {
    const known = typeof schema === "string" ? deps.schemas.describe(schema) : undefined;
    if (known?.ok === false)
      return err(
        domainError(known.error.code, `${where} of the work order: ${known.error.message}`, {
          details: known.error.details,
        }),
      );
  }
  return ok(undefined);
}

function checkInput(deps: FlowDependencies, order: WorkOrder): Result<void> {
  const schema = order.io_schema?.input_schema;
  if (schema === undefined) return ok(undefined);
  const checked = validateAgainst(deps.schemas, schema, "io_schema.input_schema", order.input ?? {});
  if (checked.ok) return ok(undefined);
  return err(
    domainError(
      "WORK_ORDER_INVALID",
      `the work order's input is not what its input_schema asks for: ${checked.error.message}`,
      { details: checked.error.details },
    ),
  );
}

/** What the order names itself, even if the rest of it is junk: refusals should be traceable. */
export function claimedOrderId(work_order: unknown): string {
  const id = isJsonObject(work_order) ? work_order["work_order_id"] : undefined;
  return typeof id === "string" && id.length > 0 && id.length <= 128 ? id : "unknown";
}
