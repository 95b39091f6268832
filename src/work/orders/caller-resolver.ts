import type { BudgetLimits } from "#agents";
import { domainError } from "#core/errors";
import { type Caller, type Clock, err, ok, type Result } from "#core/values";
import { authorizeOrder, devCaller, localCaller, weighOrder } from "#people";
import type { WritConfig } from "#workspace";
import type { FlowDependencies, FlowRequest } from "../flow/flow.ts";

/** Judges who submits an order, and by which right. */
export interface CallerResolver extends Pick<FlowDependencies, "authenticate" | "authorize"> {
  /** The same judgement with all its links, for people who ask why. */
  readonly weigh: FlowDependencies["authorize"];
  /** The person at this machine with the rights that the workspace gives them. */
  localCaller(): Result<Caller>;
}

export function callerResolver(options: {
  readonly identity: WritConfig["identity"];
  readonly local: string;
  readonly clock: Clock;
  /** What an order may spend that names no budget. */
  readonly defaultBudget: BudgetLimits;
}): CallerResolver {
  const { identity, local, clock, defaultBudget } = options;
  const rules = { identity, clock, defaultBudget };
  return {
    authenticate: (request, recognised) =>
      recognised ? mayActAs(recognised, request) : callerAtThisMachine(request, local, identity),
    authorize: (caller, asked) => authorizeOrder(asked, caller, rules),
    weigh: (caller, asked) => weighOrder(asked, caller, rules),
    localCaller: () => localCaller(local, identity),
  };
}

/** An authenticated remote caller submits only in its own name, and never in development mode. */
function mayActAs(recognised: Caller, request: FlowRequest): Result<Caller> {
  if (request.caller_id !== recognised.id)
    return err(
      domainError("NOT_AUTHORIZED", `${recognised.id} submits an order in the name of ${request.caller_id}`, {
        details: { caller: recognised.id },
      }),
    );
  if (request.dev_mode && recognised.authenticatedBy !== "dev")
    return err(
      domainError(
        "NOT_AUTHORIZED",
        "development mode is for the person at this machine, not for a caller from outside",
      ),
    );
  return ok(recognised);
}

/** The local caller, a caller that the workspace configures, or, in development mode, the caller that the request names. */
function callerAtThisMachine(request: FlowRequest, local: string, identity: WritConfig["identity"]): Result<Caller> {
  if (request.dev_mode) return devCaller(request.caller_id, { isNamed: request.caller_id !== local, config: identity });
  if (request.caller_id === local || Object.hasOwn(identity.callers, request.caller_id))
    return localCaller(request.caller_id, identity);
  return err(
    domainError("NOT_AUTHORIZED", `the workspace does not know the caller ${JSON.stringify(request.caller_id)}`, {
      details: { caller: request.caller_id },
    }),
  );
}
