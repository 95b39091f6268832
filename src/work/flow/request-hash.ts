import { canonicalJson, checkJson } from "#core/values";
import type { FlowDependencies, FlowRequest } from "./flow.ts";

/** Identifies an order in the log without its content; a value that is not JSON is identified by its type. */
export function requestHash(
  deps: Pick<FlowDependencies, "keyedHash">,
  request: Pick<FlowRequest, "work_order">,
): string {
  const plain = checkJson(request.work_order);
  return deps.keyedHash(plain.ok ? canonicalJson(plain.value) : `not JSON: ${typeof request.work_order}`);
}
