import type { Narrowing } from "#governance/mandate";
import type { Authorization } from "#people";

type Bound = Authorization["bounds"][number];

/** What an order was granted by has to agree to each of its acts, beside the order and its framework. */
export function narrowByGrants(bounds: readonly Bound[]): Narrowing {
  const sources = (...names: readonly ("tools" | "files" | "read_files" | "hosts")[]) =>
    bounds.flatMap((bound) => {
      const lists = names.flatMap((name) => {
        const patterns = bound[name];
        return patterns ? [{ path: `${bound.path}${name}`, patterns }] : [];
      });
      return lists.length > 0 ? [{ document: bound.document, lists }] : [];
    });
  return {
    tools: sources("tools"),
    write: sources("files"),
    read: sources("files", "read_files"),
    hosts: sources("hosts"),
  };
}
