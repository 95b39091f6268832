import type { Event } from "#log";
import { LabelCheck } from "./relabel.ts";
import type { ReadSession } from "./value-judge.ts";

/** Where the labels that a session recorded are not those that its events give now; undefined where they all are. */
export async function labelDrift(events: readonly Event[], read: ReadSession): Promise<string | undefined> {
  const check = new LabelCheck();
  for (const event of events) {
    for (let wanted = check.wants; wanted !== undefined; wanted = check.wants) {
      const found = await read(wanted);
      check.give(wanted, found.ok ? found.value : undefined);
    }
    const drift = check.add(event);
    if (drift !== undefined) return drift;
  }
  return undefined;
}
