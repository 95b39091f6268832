import { domainError, err, ok, type Result } from "#base";
import type { FlowRequest } from "#flow";
import { type Caller, devCaller, type IdentityConfig, localCaller } from "#governance";

/**
 * Who submits: whoever a door recognised, the person at this machine, somebody the workspace knows, or, in development
 * mode, whoever they say they are. A door's caller is who they are and nobody else, and never in development mode.
 */
export function callerOf(
  request: FlowRequest,
  recognised: Caller | undefined,
  local: string,
  identity: IdentityConfig,
): Result<Caller> {
  if (recognised) return mayActAs(recognised, request);
  if (request.dev_mode) return ok(devCaller(request.caller_id));
  if (request.caller_id === local || Object.hasOwn(identity.callers, request.caller_id))
    return localCaller(request.caller_id, identity);
  return err(
    domainError("NOT_AUTHORIZED", `nobody here knows the caller ${JSON.stringify(request.caller_id)}`, {
      details: { caller: request.caller_id },
    }),
  );
}

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
