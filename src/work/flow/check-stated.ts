import type { ToolOffer } from "#agents";
import { compileSchema, type MandateV1, type WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, isJsonObject, ok, type Result } from "#core/values";
import { checkPatterns } from "#governance/mandate";
import type { FlowDependencies } from "./flow.ts";
import type { SettledOrder } from "./settle-order.ts";

/**
 * Refuses an order that is handed in with a word that would hold nothing: a pattern that can name no file, a schema with a
 * keyword that no validator knows, an approval of a tool that it may not call, a mode or a cycle where no cycle is followed, an
 * order above that did not hand it down. Orders below are written by Writ.
 */
export function checkStated(
  deps: Pick<FlowDependencies, "toolOffers">,
  order: WorkOrder,
  { chosen, compiled }: SettledOrder,
): Result<void> {
  const { document } = compiled.mandate;
  const patterns = checkPatterns(document);
  if (!patterns.ok) return patterns;
  const idle = { ...idleWords(order, chosen.strategy), ...unheldSchemas(deps, order, document) };
  for (const [path, why] of Object.entries(idle))
    if (why !== undefined)
      return err(domainError("WORK_ORDER_INVALID", `${path} of the work order: ${why}`, { details: { path } }));
  return ok(undefined);
}

function idleWords(
  { cycle, mode, parent_work_order_id }: WorkOrder,
  strategy: string,
): Readonly<Record<"cycle" | "mode" | "parent_work_order_id", string | undefined>> {
  const isCycle = strategy === "cycle";
  // The lead of plan-work-review may name a cycle, which follows the mode; its worker writes without one.
  const takesMode = isCycle || (strategy === "plan-work-review" && mode !== "report-only");
  const carriedOut = `this order is carried out as ${strategy}`;
  return {
    cycle:
      cycle === undefined || isCycle ? undefined : `${cycle} is followed by orders of type cycle, and ${carriedOut}`,
    mode:
      mode === undefined || takesMode
        ? undefined
        : `${mode} holds where a cycle is followed, and ${carriedOut}; what it may write is said by scope.allowed_files`,
    parent_work_order_id:
      parent_work_order_id === undefined
        ? undefined
        : `${parent_work_order_id} did not hand it down; Writ says this of orders that another hands down, and of a turn that names its order by work_order_id`,
  };
}

/** Schemas that stand in the order itself; those that it names by id are checked where they are registered. */
function unheldSchemas(
  { toolOffers }: Pick<FlowDependencies, "toolOffers">,
  { io_schema }: WorkOrder,
  { permissions }: MandateV1,
): Readonly<Record<string, string | undefined>> {
  const found: Record<string, string | undefined> = {
    "io_schema.input_schema": unheldIn(io_schema?.input_schema),
    "io_schema.output_schema": unheldIn(io_schema?.output_schema),
  };
  for (const { path, tool, args_schema } of permissions) {
    if (typeof args_schema !== "object") continue;
    const offer = toolOffers((name) => name === tool)[0];
    found[`${path}.args_schema`] = unheldIn(args_schema) ?? (offer && strangeArgument(args_schema, offer));
  }
  return found;
}

function unheldIn(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const known = compileSchema(schema, { name: "the schema", knownWords: true });
  return known.ok ? undefined : known.error.message;
}

/** A condition on an argument that the tool does not take is always met. */
function strangeArgument(args_schema: object, { name, input_schema }: ToolOffer): string | undefined {
  const taken = propertiesOf(input_schema);
  if (!("additionalProperties" in input_schema) || input_schema.additionalProperties !== false) return undefined;
  const strange = Object.keys(propertiesOf(args_schema)).find((argument) => !Object.hasOwn(taken, argument));
  return strange === undefined ? undefined : `${name} has no argument ${strange}`;
}

function propertiesOf(schema: object): object {
  return "properties" in schema && isJsonObject(schema.properties) ? schema.properties : {};
}
