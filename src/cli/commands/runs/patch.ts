import { resolve } from "node:path";
import type { Command } from "commander";
import { err, ok, type Result } from "#base";
import type { OpenKernel } from "#compose";
import type { Answer, Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { answerProposal } from "./answer-proposal.ts";
import { runOf } from "./run-of.ts";
import { subCommand } from "./sub-command.ts";

interface PatchOptions extends KernelOptions {
  readonly file: string;
  readonly actor: string;
  readonly base?: string;
}

export function add(runs: Command, context: CliContext): void {
  subCommand<PatchOptions>(runs, context, {
    name: "patch <run>",
    description: "propose what you changed in a file: the difference becomes a patch",
    examples: ["show 7qk2 --revision head > draft.md", "patch 7qk2 --file draft.md --actor ada"],
    work: patch,
  })
    .requiredOption("--file <file>", "the document as you changed it")
    .option("--actor <id>", "in whose name", "user")
    .option("--base <revision>", "the revision you began with (default: the one that the file resembles most)");
}

async function patch(open: OpenKernel, invocation: Invocation<PatchOptions>): Promise<Result<Answer>> {
  const run_id = await runOf(open.kernel, invocation);
  if (!run_id.ok) return run_id;
  const { file, actor, base } = invocation.options;
  const { decode, proposeChange } = await import("#apps");
  const path = resolve(invocation.context.cwd, file);
  const { readBytes } = await import("#compose");
  const content = await readBytes(path);
  if (!content.ok) return content;
  const text = decode(content.value);
  if (!text.ok) return err({ ...text.error, message: `${path}: ${text.error.message}` });
  const proposed = await proposeChange(open, {
    run_id: run_id.value,
    author_id: actor,
    text: text.value,
    ...(base === undefined ? {} : { base }),
  });
  return proposed.ok ? ok(answerProposal(run_id.value, proposed.value)) : proposed;
}
