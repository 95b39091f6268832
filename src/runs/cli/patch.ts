import { resolve } from "node:path";
import { type Command, requiredText, text } from "#core/commands";
import { err, ok } from "#core/values";
import { answerProposal } from "./answer-proposal.ts";
import { runOf } from "./run-of.ts";
import { type RunParts, runArgument } from "./run-parts.ts";

interface PatchOptions {
  readonly file: string;
  readonly actor: string;
  readonly base?: string;
}

export const patch: Command<"existing kernel", RunParts, PatchOptions> = {
  name: "patch",
  summary: "propose what you changed in a file: the difference becomes a patch",
  needs: "existing kernel",
  json: "run_id, and patch with patch_id, base_revision_id and ops, or null",
  arguments: [runArgument],
  options: {
    file: requiredText("file", "the document as you changed it"),
    actor: text("id", "in whose name", "user"),
    base: text("revision", "the revision you began with (default: the one that the file resembles most)"),
  },
  examples: ["writ runs show 7qk2 --revision head > draft.md", "writ runs patch 7qk2 --file draft.md --actor ada"],
  exits: null,
  run: async (open, invocation) => {
    const run_id = await runOf(open.kernel, invocation);
    if (!run_id.ok) return run_id;
    const { file, actor, base } = invocation.options;
    const { decode } = await import("../apps/read-revision.ts");
    const { proposeChange } = await import("../apps/propose-change.ts");
    const path = resolve(invocation.context.cwd, file);
    const { readBytes } = await import("../../core/machine/read-bytes.ts");
    const content = await readBytes(path);
    if (!content.ok) return content;
    const changed = decode(content.value);
    if (!changed.ok) return err({ ...changed.error, message: `${path}: ${changed.error.message}` });
    const proposed = await proposeChange(open, {
      run_id: run_id.value,
      author_id: actor,
      text: changed.value,
      ...(base === undefined ? {} : { base }),
    });
    return proposed.ok ? ok(answerProposal(run_id.value, proposed.value)) : proposed;
  },
};
