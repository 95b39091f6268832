import { type DomainError, domainError } from "#core/errors";
import { type Caller } from "#core/values";
import { covers } from "#people";

/** The refusal of a caller without the right; undefined if the caller has it. `public` needs no caller. */
export function authorizeRoute(caller: Caller | undefined, right: string): DomainError | undefined {
  if (right === "public") return undefined;
  if (!caller) return needsKey();
  if (covers(caller.grants, right)) return undefined;
  return domainError("NOT_AUTHORIZED", `${caller.id} may not do this: no role of theirs grants "${right}"`, {
    details: { caller: caller.id, right },
  });
}

export function needsKey(): DomainError {
  return domainError("NOT_AUTHENTICATED", "this needs an API key: Authorization: Bearer writkey_…");
}
