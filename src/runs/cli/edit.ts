import { spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CliContext } from "#core/commands";
import { type Command, text } from "#core/commands";
import { domainError, messageOf } from "#core/errors";
import { removeTreeInSlices } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { answerProposal } from "./answer-proposal.ts";
import { runOf } from "./run-of.ts";
import { examplesTitle, type RunParts, runArgument } from "./run-parts.ts";

interface EditOptions {
  readonly actor: string;
}

export const edit: Command<"existing kernel", RunParts, EditOptions> = {
  name: "edit",
  summary: "change the document in your editor ($VISUAL, $EDITOR); what you changed becomes a patch",
  needs: "existing kernel",
  json: "run_id, and patch with patch_id, base_revision_id and ops, or null",
  arguments: [runArgument],
  options: { actor: text("id", "in whose name", "user") },
  examplesTitle,
  examples: ["writ runs edit 7qk2"],
  exits: null,
  run: async (open, invocation) => {
    const run_id = await runOf(open.kernel, invocation);
    if (!run_id.ok) return run_id;
    const { proposeChange } = await import("../apps/propose-change.ts");
    const { readRevision } = await import("../apps/read-revision.ts");
    const head = await readRevision({ read: open.kernel.read, documents: open.documents }, run_id.value, "head");
    if (!head.ok) return head;
    const changed = await inEditor(head.value.text, run_id.value, invocation.context);
    if (!changed.ok) return changed;
    const proposed = await proposeChange(open, {
      run_id: run_id.value,
      author_id: invocation.options.actor,
      text: changed.value,
      base: head.value.revision.revision_id,
    });
    return proposed.ok ? ok(answerProposal(run_id.value, proposed.value)) : proposed;
  },
};

/** Opens a copy in the person's editor and waits until it exits. */
async function inEditor(document: string, name: string, { env, cwd }: CliContext): Promise<Result<string>> {
  const editor = env["VISUAL"] ?? env["EDITOR"] ?? "vi";
  const folder = await mkdtemp(join(tmpdir(), "writ-edit-"));
  const file = join(folder, `${name}.md`);
  try {
    await writeFile(file, document);
    // EDITOR may contain arguments, as with git; the shell splits them.
    const status = await ended(`${editor} "$1"`, file, cwd, env);
    if (status !== 0)
      return err(domainError("CANCELED", `the editor (${editor}) ended with ${status}: nothing was proposed`));
    return ok(await readFile(file, "utf8"));
  } catch (thrown) {
    return err(domainError("INTERNAL", `cannot edit with ${editor}: ${messageOf(thrown)}`, { cause: thrown }));
  } finally {
    await removeTreeInSlices(folder);
  }
}

function ended(command: string, file: string, cwd: string, env: CliContext["env"]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", command, "sh", file], { stdio: "inherit", cwd, env: { ...env } });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
