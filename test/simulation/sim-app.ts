import type { AppTurnActionsV1, AppTurnInputV1 } from "#core/contracts";
import { sha256 } from "#core/values";
import type { App } from "../../src/runs/kernel/app.ts";
import type { Chance } from "./chance.ts";
import type { Faults } from "./faults.ts";

export const capabilities = ["draft", "check", "cite"] as const;

type Action = AppTurnActionsV1["actions"][number];

/**
 * An app that wants a few things done, folds patches into revisions and closes when all is quiet. In a bad world it
 * repeats itself, names old heads and settled patches, closes too early, throws, and talks nonsense.
 */
export function simApp(options: { readonly chance: Chance; readonly faults: () => Faults }): App {
  const { chance, faults } = options;
  return {
    app_id: "sim",
    async turn(input, context) {
      const bad = chance.hit(faults().badApp);
      if (bad && chance.hit(0.15)) throw new Error("the app fell over");
      if (bad && chance.hit(0.1)) return { actions: [{ type: "dance" }] } as never;
      if (bad && chance.hit(0.1))
        await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
      const actions: Action[] = [...wanted(input, chance, bad)];
      const history = await context.read.events(input.run_id as never, { after: 0, limit: 10_000 });
      const events = history.ok ? history.value : [];
      const ended = events.filter(
        (event) => event.event_type === "work.failed" || event.event_type === "work.canceled",
      );
      const requested = events.filter((event) => event.event_type === "work.requested").length;
      for (const event of ended.slice(0, 2)) {
        const key = `again-${String(event.payload["work_id"]).slice(-4)}`;
        if (requested < 9) actions.push(request(key, chance.pick(capabilities), []));
      }
      const patches = [...input.unapplied_patch_ids];
      const settled = events.filter((event) => event.event_type === "patch.applied");
      if (bad && settled.length > 0 && chance.hit(0.5)) patches.push(String(chance.pick(settled).payload["patch_id"]));
      if (patches.length > 0) {
        const text = `${input.objective} ${input.run_id} ${patches.join(" ")}`;
        const kept = await context.documents.put(text);
        const rejected = patches.filter((_, index) => index % 3 === 2);
        const heads = events
          .filter((event) => event.event_type === "revision.created")
          .map((event) => String(event.payload["revision_id"]));
        const stale = bad && chance.hit(0.4) ? (heads.at(-2) ?? null) : input.head_revision_id;
        actions.push({
          type: "create_revision",
          parent_revision_id: stale,
          applied_patch_ids: patches.filter((id) => !rejected.includes(id)),
          rejected_patch_ids: rejected,
          document_ref: { sha256: kept.ok ? kept.value.sha256 : sha256(text) },
        });
      }
      const quiet =
        input.open_work_summary.length === 0 &&
        actions.every((action) => action.type !== "request_work" || isKnown(events, action));
      if (quiet || (bad && chance.hit(0.3)))
        actions.push({ type: "close_run", reason: bad && chance.hit(0.3) ? "failed" : "completed" });
      if (actions.length === 0) actions.push({ type: "noop" });
      return { actions };
    },
  };
}

function isKnown(
  events: readonly { readonly event_type: string; readonly payload: object }[],
  action: Action,
): boolean {
  return events.some(
    (event) =>
      event.event_type === "work.requested" &&
      "idempotency_key" in event.payload &&
      action.type === "request_work" &&
      event.payload.idempotency_key === action.idempotency_key,
  );
}

function request(key: string, capability: string, depends_on: string[], more: object = {}): Action {
  return { type: "request_work", capability, objective: key, depends_on, idempotency_key: key, ...more };
}

/** What the objective asks for: the number of items is written into it. A bad app asks for all of it in every turn. */
function wanted(input: AppTurnInputV1, chance: Chance, bad: boolean): readonly Action[] {
  if (input.new_events_since_seq > 0 && !bad && chance.hit(0.5)) return [];
  const count = Number(input.objective.replace(/\D/g, ""));
  return Array.from({ length: count }, (_, index) =>
    request(
      `part-${index}`,
      capabilities[index % capabilities.length] as string,
      index > 1 ? [`part-${index - 2}`] : [],
      {
        priority: index % 2,
        max_retries: 2,
      },
    ),
  );
}
