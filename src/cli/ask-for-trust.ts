import type { Result } from "#base";
import type { WorkspaceAct, WorkspaceTrust } from "#compose";
import type { Invocation } from "./act.ts";
import { type Screen, screenOf } from "./output/screen.ts";

/**
 * Opens something of a workspace. Where it is not trusted and a person is there, they see what it would do and are asked
 * once; else the refusal stands. Nothing of the workspace has been started by then.
 */
export async function askingForTrust<T>(
  { context, json }: Pick<Invocation<object>, "context" | "json">,
  open: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const opened = await open();
  if (opened.ok || opened.error.code !== "WORKSPACE_NOT_TRUSTED" || !context.ask || json) return opened;
  const untrusted = opened.error.details as unknown as WorkspaceTrust; // what the code promises
  context.stderr.write(showActs(untrusted, screenOf(context.stderr, context.env)));
  if (!(await agrees(context.ask))) return opened;
  const { trustSourcesOf } = await import("./trust-sources-of.ts");
  const sources = await trustSourcesOf(untrusted.root, context);
  if (!sources.ok) return sources;
  const { giveTrust } = await import("#compose");
  const trusted = await giveTrust(sources.value, untrusted.digest);
  return trusted.ok ? open() : trusted;
}

export async function agrees(ask: (question: string) => Promise<string>): Promise<boolean> {
  return /^y(es)?$/i.test((await ask("Do you trust this workspace? [y/N] ")).trim());
}

const verbs: Readonly<Record<WorkspaceAct["does"], string>> = {
  run: "run",
  start: "start",
  reach: "reach",
  write: "write",
  loosen: "lower",
};

/** Everything that a workspace would do, in full, with what is new since somebody agreed. */
export function showActs({ root, acts, before, digest }: WorkspaceTrust, screen: Screen): string {
  const known = new Map(before?.map((act) => [keyOf(act), act.hash]));
  const news = (act: WorkspaceAct) => {
    if (!before || known.get(keyOf(act)) === act.hash) return "";
    return screen.yellow(known.has(keyOf(act)) ? "  (changed)" : "  (new)");
  };
  const lines = acts.map((act) => {
    const [first = "", ...more] = act.what.split("\n");
    const rest = more.map((line) => `\n          ${line}`).join("");
    return `  ${verbs[act.does].padEnd(6)}  ${screen.bold(first)}${rest}\n          ${screen.dim(act.where)}${news(act)}\n`;
  });
  return `${screen.bold(root)} would, on this machine and as you:\n\n${lines.join("")}\n  ${screen.dim(`digest ${digest}`)}\n\n`;
}

function keyOf({ does, what, where }: WorkspaceAct): string {
  return JSON.stringify([does, what, where]);
}
