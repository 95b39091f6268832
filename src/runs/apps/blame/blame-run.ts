import type { BlameV1, EventLogV1, PatchV1, RevisionV1 } from "#core/contracts";
import { isJsonObject, ok, type Result, type RunId } from "#core/values";
import type { Documents } from "../../kernel/documents.ts";
import type { KernelReader } from "../../kernel/store/port.ts";
import { blameLines } from "./blame-lines.ts";
import { readChain } from "./read-chain.ts";

/** What blame reads from the session in which the work was done. */
export interface SessionFacts {
  readonly model: string | null;
  readonly verdict: string | null;
  readonly turns: readonly string[];
}

export interface BlameSources {
  readonly read: KernelReader;
  readonly documents: Documents;
  /** Null when there is no such session here. */
  readonly sessionFacts: (sessionId: string) => Promise<Result<SessionFacts | null>>;
}

export interface BlameQuery {
  /** The head by default. */
  readonly revision?: string;
}

/** Traces each line of the document to its patch, author, work item, work order, session, turn, model and verdict. */
export async function blameRun(sources: BlameSources, runId: RunId, query: BlameQuery = {}): Promise<Result<BlameV1>> {
  const chain = await readChain(sources, runId, query.revision);
  if (!chain.ok) return chain;
  const { steps, revisions, patches, events } = chain.value;
  const lines = await blameLines(steps);
  if (!lines.ok) return lines;
  const orders = ordersIn(events);
  const turns = turnsIn(events);
  const facts = new Map<string, SessionFacts | null>();
  for (const { session_id } of orders.values()) {
    if (session_id === null || facts.has(session_id)) continue;
    const found = await sources.sessionFacts(session_id);
    if (!found.ok) return found;
    facts.set(session_id, found.value);
  }
  return ok({
    run_id: runId,
    revision_id: revisions.at(-1)?.revision_id ?? null,
    lines: lines.value.map(({ text, revision_id, patch_id }, index) => {
      const patch = patch_id === null ? undefined : patches.get(patch_id);
      const order = orders.get(patch?.source_work_id ?? patch_id ?? "") ?? unordered;
      const session = order.session_id === null ? null : facts.get(order.session_id);
      return {
        line: index + 1,
        text,
        revision_id,
        patch_id,
        ...authorOf(patch, revisions, revision_id),
        work_id: patch?.source_work_id ?? null,
        work_order_id: order.work_order_id,
        session_id: order.session_id,
        app_turn: turns.get(revision_id) ?? null,
        turns: [...(session?.turns ?? [])],
        model: session?.model ?? null,
        verdict: order.verdict ?? session?.verdict ?? null,
      };
    }),
  });
}

interface Order {
  readonly work_order_id: string | null;
  readonly session_id: string | null;
  readonly verdict: string | null;
}

const unordered: Order = { work_order_id: null, session_id: null, verdict: null };

/** The work order of each work item, and of each patch that the app itself wrote. */
function ordersIn(events: readonly EventLogV1[]): ReadonlyMap<string, Order> {
  const orders = new Map<string, Order>();
  const add = (id: unknown, facts: unknown): void => {
    if (!isJsonObject(facts)) return;
    const text = (name: string) => (typeof facts[name] === "string" ? facts[name] : null);
    orders.set(String(id), {
      work_order_id: text("work_order_id"),
      session_id: text("session_id"),
      verdict: text("verdict"),
    });
  };
  for (const { event_type, payload } of events) {
    if (event_type === "work.completed") add(payload["work_id"], payload["result"]);
    if (event_type === "patch.submitted" && payload["author_kind"] === "app") add(payload["patch_id"], payload);
  }
  return orders;
}

/** The turn that made each revision: the one whose end is recorded with it. */
function turnsIn(events: readonly EventLogV1[]): ReadonlyMap<string, number> {
  const turns = new Map<string, number>();
  let made: string[] = [];
  for (const { event_type, payload } of events) {
    if (event_type === "revision.created") made.push(String(payload["revision_id"]));
    if (event_type !== "app.turn.completed") continue;
    for (const revision of made) turns.set(revision, Number(payload["turn_epoch"]));
    made = [];
  }
  return turns;
}

function authorOf(
  patch: PatchV1 | undefined,
  revisions: readonly RevisionV1[],
  revisionId: string,
): Pick<BlameV1["lines"][number], "author_kind" | "author_id"> {
  if (patch) return { author_kind: patch.author_kind, author_id: patch.author_id };
  const revision = revisions.find((each) => each.revision_id === revisionId);
  return { author_kind: "app", author_id: revision?.created_by_app_id ?? "app" };
}
