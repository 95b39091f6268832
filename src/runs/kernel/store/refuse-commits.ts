import type { DomainError } from "#core/errors";
import { err } from "#core/values";
import type { KernelStore } from "./port.ts";

/** A store of which is only read: every change is refused. */
export function refuseCommits(store: KernelStore, why: DomainError): KernelStore {
  const refused = () => Promise.resolve(err(why));
  return { ...store, commit: refused, archive: { mark: refused, dropSome: refused } };
}
