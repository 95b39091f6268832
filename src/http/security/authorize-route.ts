import { type Caller, type DomainError, domainError } from "#base";
import { covers } from "#governance";

/** Why somebody may not; undefined where they may. `public` is everybody's. */
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
