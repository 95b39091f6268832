import type { EventLogV1 } from "#core/contracts";
import { isJsonObject, type JsonObject } from "#core/values";
import type { AppContext } from "../kernel/app.ts";
import { unwrap } from "./unwrap.ts";

const page = 1_000;

export interface WorkResults {
  /** The results of completed items, by work id. */
  readonly completed: ReadonlyMap<string, JsonObject>;
  /** Why items did not complete, by work id. */
  readonly failed: ReadonlyMap<string, string>;
}

/** The outcome of all ended work of the run, from its history. */
export async function readResults(context: AppContext): Promise<WorkResults> {
  const events: EventLogV1[] = [];
  for (let after = 0; ; ) {
    const more = unwrap(await context.read.events(context.run_id, { after, limit: page }));
    events.push(...more);
    after = more.at(-1)?.seq ?? after;
    if (more.length < page) return resultsIn(events);
  }
}

export function resultsIn(events: readonly EventLogV1[]): WorkResults {
  const completed = new Map<string, JsonObject>();
  const failed = new Map<string, string>();
  for (const { event_type, payload } of events) {
    const workId = String(payload["work_id"]);
    const result = payload["result"];
    if (event_type === "work.completed") completed.set(workId, isJsonObject(result) ? (result as JsonObject) : {});
    if (event_type === "work.failed" || event_type === "work.blocked")
      failed.set(workId, typeof payload["reason"] === "string" ? payload["reason"] : "no reason was given");
  }
  return { completed, failed };
}
