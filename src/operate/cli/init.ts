import { resolve } from "node:path";
import type { CliContext } from "#core/commands";
import { type Command, optional } from "#core/commands";
import type { Screen } from "#core/terminal";
import { fold, shellWord } from "#core/terminal";
import { ok, type Result } from "#core/values";
import { trustSourcesOf } from "#governance";
import type { InitResult } from "../init/init-workspace.ts";

interface InitParts {
  readonly askingForTrust: <T>(open: () => Promise<Result<T>>) => Promise<Result<T>>;
}

export const init: Command<"choice", InitParts> = {
  name: "init",
  summary: "make a workspace; safe to run again",
  needs: "choice",
  json: "root, created, kept and trusted",
  arguments: [optional("dir", "the folder (default: this one)")],
  options: {},
  examples: [
    "writ init demo",
    "writ init            in this folder",
    "writ init team --store 'postgres://writ:${secret:DB}@db.example/writ'",
  ],
  exits: null,
  run: async (parts, { arguments: [folder], root, store, context }) => {
    const { initWorkspace } = await import("../init/init-workspace.ts");
    const target = resolve(context.cwd, folder ?? root ?? ".");
    const made = await initWorkspace(target, { env: context.env, store });
    if (!made.ok) return made;
    const isTrusted = await askAbout(made.value, parts, context);
    const { noticedKeys } = await import("../../workspace/secrets/noticed-keys.ts");
    const json = { ...made.value, trusted: isTrusted };
    const rules = await rulesNotAgreed(target, context);
    return ok({
      json,
      text: (screen) =>
        describe(made.value, folder, screen) +
        noticedKeys(context.env)
          .map((notice) => `${notice}\n`)
          .join("") +
        warning(made.value, { isTrusted, store, rules }, screen),
    });
  },
};

/** A configuration that was there before may come from elsewhere: the person who completes it sees what it would do. */
async function askAbout({ root }: InitResult, { askingForTrust }: InitParts, context: CliContext): Promise<boolean> {
  const { requireTrust } = await import("../../governance/trust/require-trust.ts");
  const trust = await askingForTrust(async () => {
    const sources = await trustSourcesOf(root, context);
    return sources.ok ? requireTrust(sources.value, { isUse: false }) : sources;
  });
  return trust.ok || trust.error.code !== "WORKSPACE_NOT_TRUSTED"; // an unreadable file is reported by the next command that reads it
}

/** Rules for agents may come from elsewhere, too: agents follow them once the person agreed. */
async function rulesNotAgreed(root: string, { env }: CliContext): Promise<readonly string[]> {
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const { rulesOfWorkspace } = await import("../../governance/rules/agreed-rules.ts");
  const rules = await rulesOfWorkspace({ root, env, files: nodeFiles });
  return rules.ok ? rules.value.filter(({ isAgreed }) => !isAgreed).map(({ path }) => path) : [];
}

interface Warnings {
  readonly isTrusted: boolean;
  readonly store: string | undefined;
  readonly rules: readonly string[];
}

function warning({ kept, not_remembered }: InitResult, { isTrusted, store, rules }: Warnings, screen: Screen): string {
  const lines = [
    ...(store !== undefined && kept.includes("writ.yaml")
      ? ["its writ.yaml was there before and is as it was: write `store` into it yourself"]
      : []),
    ...(isTrusted ? [] : ["its writ.yaml was there before and is not trusted: `writ trust` shows what it would run"]),
    ...(rules.length === 0
      ? []
      : [`${rules.join(", ")}: agents read it as data; \`writ trust\` lets them follow it as rules`]),
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
