import type { EventLogV1 } from "#core/contracts";
import type { Screen } from "#core/terminal";
import { oneLine, row } from "#core/terminal";
import { isJsonObject } from "#core/values";

/** The state of a run's story between two events. */
export interface RunStoryState {
  readonly work: Map<string, { readonly capability: string; readonly objective: string; leasedAt: number }>;
  /** Requests of the current turn, rendered as one line. */
  requested: number;
  revisions: number;
  /** Applied patches of the current revision. */
  applied: number;
}

export function newRunStoryState(): RunStoryState {
  return { work: new Map(), requested: 0, revisions: 0, applied: 0 };
}

/** The lines that an event adds to the story of a run. Most kernel events add none. */
export function renderRunEvent(event: EventLogV1, so: RunStoryState, screen: Screen): readonly string[] {
  const { payload } = event;
  const at = Date.parse(event.created_at);
  const text = (name: string): string => (typeof payload[name] === "string" ? payload[name] : "");
  const item = so.work.get(text("work_id"));
  const tell = (what: string, right = "", who = "app"): string[] => [row(screen, { who, what: oneLine(what), right })];
  const took = item && item.leasedAt > 0 ? `${((at - item.leasedAt) / 1000).toFixed(1)} s` : "";
  switch (event.event_type) {
    case "work.requested":
      so.work.set(text("work_id"), { capability: text("capability"), objective: text("objective"), leasedAt: 0 });
      so.requested += 1;
      return [];
    case "app.turn.completed": {
      const asked = so.requested;
      so.requested = 0;
      return asked === 0 ? [] : tell(`asks for ${asked} ${asked === 1 ? "piece" : "pieces"} of work`);
    }
    case "work.leased":
      if (item) item.leasedAt = at;
      return [];
    case "work.completed":
      return item ? tell(`${item.objective}${cited(payload["result"], screen)}`, took, item.capability) : [];
    case "work.requeued":
      return item
        ? tell(
            `${item.objective}: ${text("reason")}`,
            screen.yellow(`again (${String(payload["retry_count"])})`),
            item.capability,
          )
        : [];
    case "work.failed":
      return item ? tell(`${item.objective}: ${text("reason")}`, screen.red("failed"), item.capability) : [];
    case "work.blocked":
      return item ? tell(`${item.objective}: ${text("reason")}`, screen.yellow("blocked"), item.capability) : [];
    case "patch.submitted":
      return text("author_kind") === "user" ? tell("hands in a patch", "", event.actor_id) : [];
    case "patch.rejected":
      return tell(`leaves out a patch: ${text("reason")}`, screen.yellow("rejected"));
    case "revision.created":
      so.applied = 0;
      return [];
    case "patch.applied":
      so.applied += 1;
      return [];
    case "revision.head_changed":
      so.revisions += 1;
      return tell(`revision ${so.revisions}`, `${so.applied} ${so.applied === 1 ? "patch" : "patches"}`);
    case "app.turn.failed":
      if (text("code") === "CANCELED") return tell(text("reason"), "turn handed back");
      return tell(`${text("code")}: ${text("reason")}`, screen.red("turn failed"));
    case "run.paused":
      return tell("paused", "", event.actor_id);
    case "run.continued":
      return tell("goes on", "", event.actor_id);
    case "run.started":
    case "run.closed":
    case "work.canceled":
    case "app.turn.started":
      return [];
  }
}

function cited(result: unknown, screen: Screen): string {
  if (!isJsonObject(result) || !Array.isArray(result["citations"]) || result["citations"].length === 0) return "";
  const sources = new Set(result["citations"].map((citation) => (isJsonObject(citation) ? citation["source"] : "")));
  return ` ${screen.sign.dot} ${sources.size} ${sources.size === 1 ? "source" : "sources"}`;
}
