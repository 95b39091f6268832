import { isJsonObject, type JsonObject, sha256 } from "#base";
import type { AppTurnActionsV1, AppTurnInputV1, ChangePlanV1, ChangeReviewV1, PatchV1, WorkItemV1 } from "#schemas";
import { readPatches } from "../read-patches.ts";
import { readResults } from "../read-results.ts";
import { take } from "../take.ts";
import type { ThinkingApp, ThinkingContext, Thought } from "../thinking-app.ts";
import { applyFilePatch, type FileSet } from "./file-set.ts";
import { renderChange } from "./render-change.ts";

type Action = AppTurnActionsV1["actions"][number];
type Settling = { files: FileSet; applied: string[]; rejections: { patch_id: string; reason: string }[] };

const surveyKey = "survey";
const code = ["**/*.{ts,tsx,js,jsx,mjs,cjs,py,go,rs,java,rb,c,h,cpp,cs,sh,sql,html,css,json,yaml,yml,toml,md}"];
const keyShape = /^change\/(\d+)\/(.+)$/;
/** How often a file may be written again after a reviewer turned it away. */
const mostAttempts = 2;

/**
 *   surveyed ──plan──► each file to a worker of its own ──all done──► reviewed ──accepted──► revision, closed
 *                              ▲                                         │
 *                              └───────────── turned away ───────────────┘
 */
export const codeChangeApp: ThinkingApp = {
  app_id: "code-change",
  async turn(input, context) {
    const items = take(await context.read.workItems(context.run_id));
    const survey = items.find((item) => item.idempotency_key === surveyKey);
    if (!survey) return { actions: [requestSurvey(input.objective)] };
    if (input.open_work_summary.length > 0) return { actions: [{ type: "noop" }] };
    const planned = await plan(input, context, survey);
    const changes = items.filter((item) => keyShape.test(item.idempotency_key ?? ""));
    if (changes.length === 0) return { actions: planned.plan.changes.map((change) => requestFile(change, 1)) };
    return review(input, context, planned.plan, changes);
  },
};

function requestSurvey(objective: string): Action {
  return {
    type: "request_work",
    capability: "research",
    objective: `What in the workspace does this concern: ${objective}`,
    depends_on: [],
    idempotency_key: surveyKey,
    input: { question: objective, sources: code, base_revision_id: null },
  };
}

function requestFile({ path, instruction }: ChangePlanV1["changes"][number], attempt: number, notes?: string): Action {
  return {
    type: "request_work",
    capability: "agent",
    objective: instruction,
    depends_on: [],
    idempotency_key: `change/${attempt}/${path}`,
    input: {
      question: instruction,
      tools: ["fs.read", "fs.list", "fs.search"],
      target: { op: "file.write", path, expected_hash: null },
      base_revision_id: null,
      ...(notes === undefined ? {} : { notes }),
    },
  };
}

/** Asked once per run, however often its turns repeat: the key is the same. */
async function plan(
  input: AppTurnInputV1,
  context: ThinkingContext,
  survey: WorkItemV1,
): Promise<{ plan: ChangePlanV1; thought: Thought }> {
  const { completed } = await readResults(context);
  const note = completed.get(survey.work_id)?.["note"];
  const thought = take(
    await context.think({
      key: "plan",
      contract: "PRC-CHANGE-PLAN-001",
      input: { objective: input.objective, note: isJsonObject(note) ? (note as JsonObject) : {} },
      output_schema: "change_plan_v1",
    }),
  );
  return { plan: thought.answer as unknown as ChangePlanV1, thought }; // checked against its contract where it was asked for
}

/** All files are written: somebody who wrote none of them judges each; people's own patches need no judge but fit or not. */
async function review(
  input: AppTurnInputV1,
  context: ThinkingContext,
  planned: ChangePlanV1,
  items: readonly WorkItemV1[],
): Promise<AppTurnActionsV1> {
  const patches = await readPatches(context, input.unapplied_patch_ids);
  const settling: Settling = { files: await currentFiles(context), applied: [], rejections: [] };
  const verdicts = await judge(
    input,
    context,
    planned,
    patches.filter((patch) => patch.author_kind === "worker"),
  );
  for (const patch of patches) {
    const verdict = verdicts.get(patch.patch_id);
    const isAccepted = patch.author_kind !== "worker" || verdict?.accepted === true;
    const made = isAccepted ? await applyFilePatch(settling.files, patch, context.documents) : null;
    if (made?.ok) {
      settling.files = made.value;
      settling.applied.push(patch.patch_id);
    } else {
      const reason = made
        ? made.error.message
        : `the reviewer did not accept it: ${verdict?.reason ?? "no verdict was given"}`;
      settling.rejections.push({ patch_id: patch.patch_id, reason });
    }
  }
  const again = rework(planned, patches, items, settling.rejections);
  const revision = patches.length > 0 ? [await revise(input, context, planned, settling)] : [];
  return { actions: [...revision, ...(again.length > 0 ? again : [close(settling.files, planned)])] };
}

async function judge(
  input: AppTurnInputV1,
  context: ThinkingContext,
  planned: ChangePlanV1,
  patches: readonly PatchV1[],
): Promise<ReadonlyMap<string, ChangeReviewV1["verdicts"][number]>> {
  if (patches.length === 0) return new Map();
  const files = patches.flatMap(({ patch_id, ops }) =>
    ops.flatMap((operation) =>
      operation.op === "file.write" ? [{ patch_id, path: operation.path, content: operation.content ?? "" }] : [],
    ),
  );
  const thought = take(
    await context.think({
      key: `review@${sha256(patches.map((patch) => patch.patch_id).join(" ")).slice(0, 32)}`,
      contract: "PRC-CHANGE-REVIEW-001",
      input: { objective: input.objective, plan: planned as unknown as JsonObject, files },
      output_schema: "change_review_v1",
    }),
  );
  const { verdicts } = thought.answer as unknown as ChangeReviewV1; // checked against its contract where it was asked for
  return new Map(verdicts.map((verdict) => [verdict.patch_id, verdict]));
}

/** The fold of everything that was applied so far. */
async function currentFiles(context: ThinkingContext): Promise<FileSet> {
  const revisions = take(await context.read.revisions(context.run_id));
  let files: FileSet = new Map();
  for (const patchId of revisions.flatMap((revision) => revision.applied_patch_ids)) {
    const patch = take(await context.read.patch(context.run_id, patchId));
    files = take(await applyFilePatch(files, patch, context.documents));
  }
  return files;
}

function rework(
  planned: ChangePlanV1,
  patches: readonly PatchV1[],
  items: readonly WorkItemV1[],
  rejections: Settling["rejections"],
): readonly Action[] {
  return rejections.flatMap(({ patch_id, reason }) => {
    const patch = patches.find((each) => each.patch_id === patch_id);
    const item = items.find((each) => each.work_id === patch?.source_work_id);
    const [, attempt, path] = keyShape.exec(item?.idempotency_key ?? "") ?? [];
    const change = planned.changes.find((each) => each.path === path);
    if (!change || Number(attempt) >= mostAttempts) return [];
    return [requestFile(change, Number(attempt) + 1, `An earlier version was turned away: ${reason}`)];
  });
}

async function revise(
  input: AppTurnInputV1,
  context: ThinkingContext,
  planned: ChangePlanV1,
  settling: Settling,
): Promise<Action> {
  const text = renderChange({ objective: input.objective, summary: planned.summary, files: settling.files });
  const kept = take(await context.documents.put(text));
  return {
    type: "create_revision",
    parent_revision_id: input.head_revision_id,
    applied_patch_ids: settling.applied,
    rejected_patch_ids: settling.rejections.map((rejection) => rejection.patch_id),
    rejections: settling.rejections,
    document_ref: { ...kept, media_type: "text/markdown" },
  };
}

function close(files: FileSet, planned: ChangePlanV1): Action {
  const missing = planned.changes.filter(({ path }) => !files.has(path)).map(({ path }) => path);
  return missing.length === 0
    ? {
        type: "close_run",
        reason: "completed",
        message: `${files.size} file(s) reviewed and accepted`,
        unless_news: true,
      }
    : {
        type: "close_run",
        reason: "blocked",
        message: `not written or not accepted: ${missing.join(", ")}`,
        unless_news: true,
      };
}
