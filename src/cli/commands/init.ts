import { resolve } from "node:path";
import type { Command } from "commander";
import { ok } from "#base";
import type { InitResult } from "#compose";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import type { Screen } from "../output/screen.ts";
import { shellWord } from "../output/shell-word.ts";

export function register(program: Command, context: CliContext): void {
  program
    .command("init")
    .description("make a workspace; safe to run again")
    .argument("[dir]", "the folder (default: this one)")
    .addHelpText("after", "\nExamples:\n  $ writ init demo\n  $ writ init            in this folder\n")
    .action(
      act(context, async ({ arguments: [folder], root }) => {
        const { initWorkspace } = await import("#compose");
        const target = resolve(context.cwd, folder ?? root ?? ".");
        const made = await initWorkspace(target);
        return made.ok ? ok({ json: made.value, text: (screen) => describe(made.value, folder, screen) }) : made;
      }),
    );
}

function describe({ root, created, kept }: InitResult, folder: string | undefined, screen: Screen): string {
  const next = `${folder ? `cd ${shellWord(folder)} && ` : ""}writ run "greet Ada"`;
  if (created.length === 0)
    return `${screen.green(screen.sign.ok)} ${root} is a workspace already; nothing was changed.\n`;
  const lines = [`${screen.green(screen.sign.ok)} workspace ready in ${screen.bold(root)}`];
  const folders = created.filter((name) => name.endsWith("/")).length;
  const rest = created.filter((name) => !name.endsWith("/"));
  lines.push(
    `  made  ${[...(folders > 0 ? [`${folders} ${folders === 1 ? "folder" : "folders"}`] : []), ...rest].join(", ")}`,
  );
  if (kept.length > 0) lines.push(`  kept  ${kept.join(", ")} ${screen.dim("(there before, not touched)")}`);
  lines.push("", `next: ${screen.cyan(next)}`);
  return `${lines.join("\n")}\n`;
}
