import { resolve } from "node:path";
import type { Command } from "commander";
import { ok } from "#base";
import type { InitResult } from "#compose";
import { act, type Invocation } from "../act.ts";
import { askingForTrust } from "../ask-for-trust.ts";
import type { CliContext } from "../context.ts";
import { fold } from "../output/fold.ts";
import type { Screen } from "../output/screen.ts";
import { shellWord } from "../output/shell-word.ts";
import { trustSourcesOf } from "../trust-sources-of.ts";

export function register(program: Command, context: CliContext): void {
  program
    .command("init")
    .description("make a workspace; safe to run again")
    .argument("[dir]", "the folder (default: this one)")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ init demo\n  $ writ init            in this folder\n  $ writ init team --store 'postgres://writ:${secret:DB}@db.example/writ'\n",
    )
    .action(
      act(context, async (invocation) => {
        const {
          arguments: [folder],
          root,
          store,
        } = invocation;
        const { initWorkspace } = await import("#compose");
        const target = resolve(context.cwd, folder ?? root ?? ".");
        const made = await initWorkspace(target, { env: context.env, store });
        if (!made.ok) return made;
        const isTrusted = await askAbout(made.value, invocation);
        const json = { ...made.value, trusted: isTrusted };
        return ok({
          json,
          text: (screen) => describe(made.value, folder, screen) + warning(made.value, { isTrusted, store }, screen),
        });
      }),
    );
}

/** A configuration that was there before may come from elsewhere: whoever completes it sees what it would do. */
async function askAbout({ root }: InitResult, invocation: Invocation<object>): Promise<boolean> {
  const { requireTrust } = await import("#compose");
  const trust = await askingForTrust(invocation, async () => {
    const sources = await trustSourcesOf(root, invocation.context);
    return sources.ok ? requireTrust(sources.value) : sources;
  });
  return trust.ok || trust.error.code !== "WORKSPACE_NOT_TRUSTED"; // a file that cannot be read is told by whoever reads it next
}

function warning(
  { kept, not_remembered }: InitResult,
  { isTrusted, store }: { readonly isTrusted: boolean; readonly store: string | undefined },
  screen: Screen,
): string {
  const lines = [
    ...(store !== undefined && kept.includes("writ.yaml")
      ? ["its writ.yaml was there before and is as it was: write `store` into it yourself"]
      : []),
    ...(isTrusted ? [] : ["its writ.yaml was there before and is not trusted: `writ trust` shows what it would run"]),
    ...(not_remembered === undefined ? [] : [`you will not be known as its maker: ${not_remembered}`]),
  ];
  return lines.map((line) => `${screen.yellow(screen.sign.warn)} ${line}\n`).join("");
}

function describe({ root, created, kept }: InitResult, folder: string | undefined, screen: Screen): string {
  const next = `${folder ? `cd ${shellWord(folder)} && ` : ""}writ run "greet Ada"`;
  if (created.length === 0)
    return `${screen.green(screen.sign.ok)} ${root} is a workspace already; nothing was changed.\n`;
  const lines = [`${screen.green(screen.sign.ok)} workspace ready in ${screen.bold(root)}`];
  const folders = created.filter((name) => name.endsWith("/")).length;
  const rest = created.filter((name) => !name.endsWith("/"));
  const made = [...(folders > 0 ? [`${folders} ${folders === 1 ? "folder" : "folders"}`] : []), ...rest].join(", ");
  lines.push(fold(screen, `  made  ${made}`, 8));
  if (kept.length > 0) lines.push(`  kept  ${kept.join(", ")} ${screen.dim("(there before, not touched)")}`);
  lines.push("", `next: ${screen.cyan(next)}`);
  return `${lines.join("\n")}\n`;
}
