import type { ChangePlanV1, ChangeReviewV1, PatchV1 } from "#core/contracts";
import { type JsonObject, sha256 } from "#core/values";
import type { ThinkingContext } from "../thinking-app.ts";
import { unwrap } from "../unwrap.ts";
import { applyFilePatch, type FileSet } from "./file-set.ts";

export interface ReviewedChange {
  readonly files: FileSet;
  readonly applied: readonly string[];
  readonly rejections: readonly { readonly patch_id: string; readonly reason: string }[];
}

type Verdict = ChangeReviewV1["verdicts"][number];

/** A reviewer that wrote none of the files judges each patch of a worker. Patches of people are applied without review. */
export async function reviewChange(
  context: ThinkingContext,
  plan: ChangePlanV1,
  before: FileSet,
  patches: readonly PatchV1[],
): Promise<ReviewedChange> {
  const verdicts = await judge(
    context,
    plan,
    patches.filter((patch) => patch.author_kind === "worker"),
  );
  let files = before;
  const applied: string[] = [];
  const rejections: { patch_id: string; reason: string }[] = [];
  for (const patch of patches) {
    const verdict = verdicts.get(patch.patch_id);
    if (patch.author_kind === "worker" && verdict?.accepted !== true) {
      const why = verdict?.reason ?? "no verdict was given";
      rejections.push({ patch_id: patch.patch_id, reason: `the reviewer did not accept it: ${why}` });
      continue;
    }
    const made = await applyFilePatch(files, patch, context.documents);
    if (made.ok) {
      files = made.value;
      applied.push(patch.patch_id);
    } else rejections.push({ patch_id: patch.patch_id, reason: made.error.message });
  }
  return { files, applied, rejections };
}

async function judge(
  context: ThinkingContext,
  plan: ChangePlanV1,
  patches: readonly PatchV1[],
): Promise<ReadonlyMap<string, Verdict>> {
  if (patches.length === 0) return new Map();
  const files = patches.flatMap(({ patch_id, ops }) =>
    ops.flatMap((operation) =>
      operation.op === "file.write" ? [{ patch_id, path: operation.path, content: operation.content ?? "" }] : [],
    ),
  );
  const thought = unwrap(
    await context.think({
      key: `review@${sha256(patches.map((patch) => patch.patch_id).join(" ")).slice(0, 32)}`,
      contract: "PRC-CHANGE-REVIEW-001",
      input: { plan: plan as unknown as JsonObject, files },
      output_schema: "change_review_v1",
    }),
  );
  const { verdicts } = thought.answer as unknown as ChangeReviewV1; // think() has checked it against its contract
  return new Map(verdicts.map((verdict) => [verdict.patch_id, verdict]));
}
