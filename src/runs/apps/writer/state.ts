import type { AppTurnActionsV1, AppTurnInputV1, PatchV1, WorkItemV1 } from "#core/contracts";
import { Manuscript } from "../document/manuscript.ts";
import { readDocument } from "../read-document.ts";
import { readPinnedPatches } from "../read-patches.ts";
import type { ThinkingContext, Thought } from "../thinking-app.ts";
import { unwrap } from "../unwrap.ts";
import { type SectionWork, sectionWork, type WorkRequest } from "./section-work.ts";

type Action = AppTurnActionsV1["actions"][number];

/** The state of one turn: what it reads, and the actions that it collects. */
export interface WriterState {
  readonly input: AppTurnInputV1;
  readonly context: ThinkingContext;
  readonly manuscript: Manuscript;
  readonly patches: readonly PatchV1[];
  readonly items: readonly WorkItemV1[];
  readonly sections: readonly SectionWork[];
  readonly requests: WorkRequest[];
  /** The model's answer from which the app's own text of this turn comes. */
  thought: Thought | null;
  close: Extract<Action, { readonly type: "close_run" }> | null;
}

export async function openState(input: AppTurnInputV1, context: ThinkingContext): Promise<WriterState> {
  const items = unwrap(await context.read.workItems(context.run_id));
  return {
    input,
    context,
    manuscript: new Manuscript(await readDocument(context, input.head_revision_id)),
    patches: await readPinnedPatches(context, input.unapplied_patch_ids),
    items,
    sections: sectionWork(items),
    requests: [],
    thought: null,
    close: null,
  };
}

/** The actions of the turn: a revision if anything was written or settled, then the requests, then the closing. */
export async function actionsOf(state: WriterState): Promise<AppTurnActionsV1> {
  const { manuscript, requests, close } = state;
  const isSettling = manuscript.applied.length + manuscript.rejections.length > 0;
  const actions: Action[] = [
    ...(isSettling || manuscript.own.length > 0 ? [await revision(state)] : []),
    ...requests,
    ...(close ? [close] : []),
  ];
  return { actions: actions.length > 0 ? actions : [{ type: "noop" }] };
}

async function revision({ input, context, manuscript, thought }: WriterState): Promise<Action> {
  const { applied, rejections, own, text } = manuscript;
  const kept = unwrap(await context.documents.put(text));
  const source = thought === null ? {} : { work_order_id: thought.work_order_id, session_id: thought.session_id };
  return {
    type: "create_revision",
    parent_revision_id: input.head_revision_id,
    applied_patch_ids: [...applied],
    rejected_patch_ids: rejections.map((rejection) => rejection.patch_id),
    rejections: [...rejections],
    document_ref: { ...kept, media_type: "text/markdown" },
    ...(own.length > 0 ? { own_patches: [{ ops: [...own], ...source }] } : {}),
  };
}
