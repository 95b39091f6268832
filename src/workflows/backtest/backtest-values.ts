import { isSessionId, type JsonObject, ok, type Result, type TimeSlice } from "#core/values";
import { Rejudge, type RejudgedCall, type ToolNature, type ValuePolicy } from "#governance/values";
import type { Event, LogReader } from "#log";
import { compareEffects } from "../policies/effect.ts";

/** A call about whose values another pack would have decided otherwise. */
export interface ValueDifference {
  readonly seq: number;
  readonly ts: string;
  /** The tool. */
  readonly subject: string;
  readonly about: null;
  readonly call_id: string;
  readonly args_hash: string | null;
  readonly recorded: { readonly decision: string; readonly reason: string; readonly by?: string } | null;
  readonly now: {
    readonly decision: string;
    readonly reason: string;
    readonly rule: number | null;
    readonly expression: string | null;
    readonly line: number | null;
  };
  readonly change: "stricter" | "looser";
}

interface RejudgeSources {
  /** What is known of a tool that is registered here. */
  readonly natureOf: (tool: string, args: JsonObject) => ToolNature;
  readonly reader: LogReader;
  readonly slice: TimeSlice;
}

/** Judges every call of a session by a pack. Undefined: the time was up before the end. */
export async function backtestValues(
  events: readonly Event[],
  pack: ValuePolicy,
  { natureOf, reader, slice }: RejudgeSources,
): Promise<Result<{ readonly decisions: number; readonly different: readonly ValueDifference[] } | undefined>> {
  const rejudge = new Rejudge({ pack, natureOf });
  let decisions = 0;
  const different: ValueDifference[] = [];
  for (const event of events) {
    if (slice.isDue) await slice.rest();
    if (slice.isOver) return ok(undefined);
    for (let wanted = rejudge.wants; wanted !== undefined; wanted = rejudge.wants)
      rejudge.give(wanted, await eventsOf(reader, wanted));
    const judged = slice.measure(() => rejudge.add(event));
    if (!judged.ok) return judged;
    if (judged.value === undefined) continue;
    decisions += 1;
    different.push(...differenceOf(judged.value, pack));
  }
  return ok({ decisions, different });
}

/** Undefined where they cannot be read: what rests on them is asked about then. */
async function eventsOf(reader: LogReader, session_id: string): Promise<readonly Event[] | undefined> {
  if (!isSessionId(session_id)) return undefined;
  const events: Event[] = [];
  for await (const event of reader.read(session_id)) {
    if (!event.ok) return undefined;
    events.push(event.value);
  }
  return events;
}

function differenceOf({ recorded, now, tool, ...place }: RejudgedCall, pack: ValuePolicy): readonly ValueDifference[] {
  // Where values were not judged, every call was let through.
  const change = compareEffects("value-rights", recorded?.decision ?? "allow", now.verdict);
  if (change === "same") return [];
  const ofPack = now.rule?.startsWith(`${pack.id}[`) === true;
  const position = ofPack ? Number(now.rule?.slice(pack.id.length + 1, -1)) : undefined;
  const rule = position === undefined ? undefined : pack.rules[position];
  return [
    {
      ...place,
      subject: tool,
      about: null,
      recorded: recorded && {
        decision: recorded.decision,
        reason: recorded.reason,
        ...(recorded.rule === undefined ? {} : { by: recorded.rule }),
      },
      now: {
        decision: now.verdict,
        reason: now.reason,
        rule: position ?? null,
        expression: rule?.when ?? null,
        line: rule?.line ?? null,
      },
      change,
    },
  ];
}
