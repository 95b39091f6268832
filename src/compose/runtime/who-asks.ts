import { type Clock, domainError, err, ok, type Result } from "#base";
import type { FlowRequest } from "#flow";
import { type Authorization, authorizeOrder, type Caller, devCaller, localCaller, weighOrder } from "#governance";
import type { WorkOrderV1 } from "#schemas";
import type { WritConfig } from "../config/writ-config.ts";

/** Judges who submits an order, and by which right. */
export interface WhoAsks {
  authorize(request: FlowRequest, order: WorkOrderV1, agent_class: string): Result<Authorization>;
  /** The same judgement with all its links, for people who ask why. */
  weigh(request: FlowRequest, order: WorkOrderV1, agent_class: string): ReturnType<typeof weighOrder>;
}

export function whoAsks(options: {
  readonly identity: WritConfig["identity"];
  readonly local: string;
  readonly clock: Clock;
}): WhoAsks {
  const { identity, local, clock } = options;
  const law = { identity, keys: {}, clock };
  return {
    authorize(request, order, agent_class) {
      const caller = callerOf(request, local, identity);
      return caller.ok ? authorizeOrder(order, agent_class, caller.value, law) : caller;
    },
    weigh(request, order, agent_class) {
      const caller = callerOf(request, local, identity);
      return caller.ok ? weighOrder(order, agent_class, caller.value, law) : caller;
    },
  };
}

/** The person at this machine, somebody the workspace knows, or, in development mode, whoever they say they are. */
function callerOf(request: FlowRequest, local: string, identity: WritConfig["identity"]): Result<Caller> {
  if (request.dev_mode) return ok(devCaller(request.caller_id));
  if (request.caller_id === local || Object.hasOwn(identity.callers, request.caller_id))
    return localCaller(request.caller_id, identity);
  return err(
    domainError("NOT_AUTHORIZED", `nobody here knows the caller ${JSON.stringify(request.caller_id)}`, {
      details: { caller: request.caller_id },
    }),
  );
}
