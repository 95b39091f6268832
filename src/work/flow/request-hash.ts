import { canonicalJson, checkJson } from "#core/values";
import type { FlowDependencies, FlowRequest } from "./flow.ts";

/** Names an order in the log without telling what is in it; what is no JSON at all is named by its kind. */
export function requestHash(
  deps: Pick<FlowDependencies, "keyedHash">,
  request: Pick<FlowRequest, "work_order">,
): string {
  const plain = checkJson(request.work_order);
  return deps.keyedHash(plain.ok ? canonicalJson(plain.value) : `not JSON: ${typeof request.work_order}`);
}
