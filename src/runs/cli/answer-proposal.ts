import type { Answer } from "#core/commands";
import type { RunId } from "#core/values";
import type { Proposal } from "../apps/propose-change.ts";

/** The answer to a proposed change: a patch with its operations, or that there is nothing to propose. */
export function answerProposal(run_id: RunId, proposal: Proposal | null): Answer {
  if (proposal === null) return { json: { run_id, patch: null }, text: () => "Nothing was changed.\n" };
  const { patch_id, base_revision_id, ops } = proposal;
  const lines = ops.map((operation) => {
    const where = "section" in operation && operation.section !== undefined ? ` ${operation.section.join(" > ")}` : "";
    const what = "heading" in operation && operation.heading !== undefined ? ` ${operation.heading}` : "";
    const key = "key" in operation ? ` ${operation.key}` : "";
    return `  ${operation.op}${where}${what}${key}\n`;
  });
  return {
    json: { run_id, patch: { patch_id, base_revision_id, ops } },
    text: (screen) =>
      `${screen.bold(patch_id)} proposed, made on ${base_revision_id}\n${lines.join("")}${screen.dim(`${screen.sign.arrow} the app decides: writ runs log ${run_id}`)}\n`,
  };
}
