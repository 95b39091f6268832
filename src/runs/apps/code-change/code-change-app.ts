import type { AppTurnActionsV1, AppTurnInputV1, ChangePlanV1, PatchV1, WorkItemV1 } from "#core/contracts";
import { readPatches } from "../read-patches.ts";
import type { ThinkingApp, ThinkingContext } from "../thinking-app.ts";
import { unwrap } from "../unwrap.ts";
import { fileOf, requestFile, requestSurvey, surveyKey } from "./change-work.ts";
import { applyFilePatch, type FileSet } from "./file-set.ts";
import { planChange } from "./plan-change.ts";
import { renderChange } from "./render-change.ts";
import { type ReviewedChange, reviewChange } from "./review-change.ts";

type Action = AppTurnActionsV1["actions"][number];

/** How often a file may be written again after the review rejected it. */
const mostAttempts = 2;

/**
 *   surveyed ──plan──► each file to its own worker ──all done──► reviewed ──accepted──► revision, closed
 *                              ▲                                  │
 *                              └─────────── rejected ─────────────┘
 */
export const codeChangeApp: ThinkingApp = {
  app_id: "code-change",
  async turn(input, context) {
    const items = unwrap(await context.read.workItems(context.run_id));
    const survey = items.find((item) => item.idempotency_key === surveyKey);
    if (!survey) return { actions: [requestSurvey(input.objective)] };
    if (input.open_work_summary.length > 0) return { actions: [{ type: "noop" }] };
    const plan = await planChange(input, context, survey);
    if (!items.some(fileOf)) return { actions: plan.changes.map((change) => requestFile(change, 1)) };
    const patches = await readPatches(context, input.unapplied_patch_ids);
    const reviewed = await reviewChange(context, plan, await currentFiles(context), patches);
    const again = rework(plan, patches, items, reviewed);
    return {
      actions: [
        ...(patches.length > 0 ? [await revise(input, context, plan, reviewed)] : []),
        ...(again.length > 0 ? again : [close(reviewed.files, plan)]),
      ],
    };
  },
};

/** The files after all patches that were applied so far. */
async function currentFiles(context: ThinkingContext): Promise<FileSet> {
  const revisions = unwrap(await context.read.revisions(context.run_id));
  let files: FileSet = new Map();
  for (const patchId of revisions.flatMap((revision) => revision.applied_patch_ids)) {
    const patch = unwrap(await context.read.patch(context.run_id, patchId));
    files = unwrap(await applyFilePatch(files, patch, context.documents));
  }
  return files;
}

function rework(
  plan: ChangePlanV1,
  patches: readonly PatchV1[],
  items: readonly WorkItemV1[],
  { rejections }: ReviewedChange,
): readonly Action[] {
  return rejections.flatMap(({ patch_id, reason }) => {
    const patch = patches.find((each) => each.patch_id === patch_id);
    const file = fileOf(items.find((item) => item.work_id === patch?.source_work_id));
    const change = plan.changes.find((each) => each.path === file?.path);
    if (!file || !change || file.attempt >= mostAttempts) return [];
    return [requestFile(change, file.attempt + 1, `An earlier version was turned away: ${reason}`)];
  });
}

async function revise(
  input: AppTurnInputV1,
  context: ThinkingContext,
  plan: ChangePlanV1,
  { files, applied, rejections }: ReviewedChange,
): Promise<Action> {
  const text = renderChange({ objective: input.objective, summary: plan.summary, files });
  const kept = unwrap(await context.documents.put(text));
  return {
    type: "create_revision",
    parent_revision_id: input.head_revision_id,
    applied_patch_ids: [...applied],
    rejected_patch_ids: rejections.map((rejection) => rejection.patch_id),
    rejections: [...rejections],
    document_ref: { ...kept, media_type: "text/markdown" },
  };
}

function close(files: FileSet, plan: ChangePlanV1): Action {
  const missing = plan.changes.filter(({ path }) => !files.has(path)).map(({ path }) => path);
  const isWhole = missing.length === 0;
  return {
    type: "close_run",
    reason: isWhole ? "completed" : "blocked",
    message: isWhole
      ? `${files.size} file(s) reviewed and accepted`
      : `not written or not accepted: ${missing.join(", ")}`,
    unless_news: true,
  };
}
