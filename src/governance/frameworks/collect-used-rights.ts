import { ok, type Result } from "#core/values";
import type { LogReader } from "#log";
import { readUsedRights } from "../mandate/read-used-rights.ts";
import type { UsedTogether } from "./tighten-framework.ts";

export interface CollectedRights {
  /** Orders that succeeded under the framework. */
  readonly orders: number;
  readonly used: UsedTogether;
}

/**
 * What the newest orders under a framework used. Only those that succeeded count: a failed one may have used too little, and
 * one that was refused tried too much. A session that cannot be read is passed over, for `session verify` names it.
 */
export async function collectUsedRights(
  framework_id: string,
  reader: Pick<LogReader, "list" | "read">,
  most: number,
): Promise<Result<CollectedRights>> {
  const listed = [];
  for await (const session of reader.list())
    if (session.ok && session.value.ok === true && session.value.work_order_id !== null) listed.push(session.value);
  listed.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  const together = {
    tools: new Map<string, number>(),
    reads: new Set<string>(),
    writes: new Set<string>(),
    hosts: new Set<string>(),
    models: new Set<string>(),
    hasReadUnseen: false,
  };
  let orders = 0;
  for (const { session_id } of listed) {
    if (orders >= most) break;
    const read = await readUsedRights(session_id, reader);
    if (!read.ok || read.value.mandate?.framework_id !== framework_id) continue;
    const { used } = read.value;
    orders += 1;
    for (const [tool, calls] of used.tools) together.tools.set(tool, (together.tools.get(tool) ?? 0) + calls);
    for (const list of ["reads", "writes", "hosts", "models"] as const)
      for (const each of used[list]) together[list].add(each);
    together.hasReadUnseen ||= used.hasReadUnseen;
  }
  return ok({ orders, used: together });
}
