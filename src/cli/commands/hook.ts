import type { Command } from "commander";
import { ok } from "#base";
import type { HookInfo } from "#hooks";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { workspaceOf } from "../workspace-of.ts";

export function register(program: Command, context: CliContext): void {
  const hook = program
    .command("hook")
    .description("the policies that are asked before and after everything")
    .addHelpText("after", "\nExample:\n  $ writ hook list\n");
  hook
    .command("list")
    .description("every hook in force, in the order in which it is asked")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ hook list\n  $ writ hook list --json | jq '.hooks[] | select(.point == \"PreToolUse\")'\n",
    )
    .action(
      act(context, async (invocation) => {
        const root = await workspaceOf(invocation);
        if (!root.ok) return root;
        const { nodeFiles, readConfig, workspaceHooks } = await import("#compose");
        const effective = await readConfig(root.value, nodeFiles, context.env);
        if (!effective.ok) return effective;
        const { env, clock } = context;
        const config = effective.value.config.hooks;
        // Listing asks no hook, so nothing is there to redact.
        const { shippedRegistry } = await import("#schemas");
        const schemas = shippedRegistry();
        const loaded = await workspaceHooks({ root: root.value, config, env, clock, schemas, redact: (text) => text });
        if (!loaded.ok) return loaded;
        const { createHooks } = await import("#hooks");
        const hooks = createHooks({ handlers: loaded.value.handlers, schemas, clock }).list();
        return ok({ json: { hooks: hooks.map(document) }, text: (screen) => describe(hooks, screen) });
      }),
    );
}

function document({ timeoutMs, ...rest }: HookInfo): object {
  return { ...rest, timeout_ms: timeoutMs };
}

function describe(hooks: readonly HookInfo[], screen: Screen): string {
  const rows = hooks.map(({ point, id, priority, matcher, kind, shipped, hash }) => [
    point,
    screen.bold(id),
    String(priority),
    matcher ?? "*",
    shipped ? "shipped" : kind,
    screen.dim(hash.slice(0, 12)),
  ]);
  return table(screen, ["asked at", "hook", "priority", "about", "kind", "sha256"], rows);
}
