import { ok, type Result } from "#base";
import type { Route } from "./route.ts";
import type { Services } from "./services.ts";

/** What a write would create is named before it is: a repetition under the same key then creates the same thing. */
export function nextSubject({ runtime, kernel: { kernel } }: Services): (route: Route) => Promise<Result<string>> {
  return async ({ path }) => {
    switch (path) {
      case "/api/v1/requests":
      case "/api/v1/workflows/:cycle_id/runs":
      case "/api/v1/sessions/:session_id/fork":
        return runtime.nextOrderId();
      case "/api/v1/runs":
        return ok(kernel.ids.runId());
      case "/api/v1/runs/:run_id/patches":
        return ok(kernel.ids.patchId());
      default:
        return ok("");
    }
  };
}
