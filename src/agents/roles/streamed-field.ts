import type { SchemaRegistry } from "#core/contracts";
import { isJsonObject } from "#core/values";

/** Frozen contracts cannot bear the mark themselves, so it stands here. A contract that says nothing shows nothing while it arrives. */
const marked: Readonly<Record<string, string>> = {
  lead_directive_v1: "intent",
  worker_report_v1: "output",
  review_result_v1: "feedback",
};

/** The field of an answer that people see while it arrives: the one that its contract marks with `x-stream`. */
export function streamedField(schemas: SchemaRegistry, contract: string | object): string | undefined {
  if (typeof contract === "string" && marked[contract] !== undefined) return marked[contract];
  const schema = typeof contract === "string" ? schemas.schema(contract) : undefined;
  const document: unknown = typeof contract === "string" ? (schema?.ok ? schema.value : undefined) : contract;
  const properties = isJsonObject(document) ? document["properties"] : undefined;
  if (!isJsonObject(properties)) return undefined;
  return Object.keys(properties).find((name) => {
    const field = properties[name];
    return isJsonObject(field) && field["x-stream"] === true;
  });
}
