import type { Command, CommandGroup } from "#core/commands";
import type { Screen } from "#core/terminal";
import { table } from "#core/terminal";
import { ok } from "#core/values";
import type { SettingsNote } from "../claude/settings/settings-document.ts";
import type { HookInfo } from "../hooks/hook-handler.ts";

interface WorkspaceParts {
  readonly root: string;
}

const list: Command<"workspace", WorkspaceParts> = {
  name: "list",
  summary: "every hook in force, in the order in which it is asked",
  needs: "workspace",
  json: "hooks with point, id, priority, matcher, kind, shipped, hash and timeout_ms; those of a settings file with from and event; not_taken with file, line and note",
  arguments: [],
  options: {},
  examples: ["writ hook list", "writ hook list --json | jq '.hooks[] | select(.point == \"PreToolUse\")'"],
  exits: null,
  run: async ({ root }, { context: { env, clock } }) => {
    const { nodeFiles } = await import("../../core/machine/node-files.ts");
    const { readConfig } = await import("../../workspace/config/load-config.ts");
    const { workspaceHooks } = await import("../hooks/workspace-hooks.ts");
    const effective = await readConfig(root, nodeFiles, env);
    if (!effective.ok) return effective;
    const { config } = effective.value;
    // Listing asks no hook, so nothing is there to redact.
    const { shippedRegistry } = await import("../../core/contracts/registry.ts");
    const schemas = shippedRegistry();
    const loaded = await workspaceHooks({ root, env, config, clock, schemas, redact: (text) => text });
    if (!loaded.ok) return loaded;
    const { createHooks } = await import("../hooks/create-hooks.ts");
    const hooks = createHooks({ handlers: loaded.value.handlers, schemas, clock }).list();
    await loaded.value.close();
    const { notes } = loaded.value;
    return ok({
      json: { hooks: hooks.map(document), not_taken: notes },
      text: (screen) => describe(hooks, notes, screen),
    });
  },
};

export const hook: CommandGroup<typeof list> = {
  name: "hook",
  summary: "the policies that are asked before and after everything",
  examples: ["writ hook list"],
  members: [list],
};

function document({ timeoutMs, ...rest }: HookInfo): object {
  return { ...rest, timeout_ms: timeoutMs };
}

function describe(hooks: readonly HookInfo[], notes: readonly SettingsNote[], screen: Screen): string {
  const rows = hooks.map(({ point, event = point, id, priority, matcher, kind, shipped, from = "writ.yaml", hash }) => [
    event === point ? point : `${point} as ${event}`,
    screen.bold(id),
    String(priority),
    matcher ?? "*",
    shipped ? "shipped" : kind,
    shipped ? "writ" : from,
    screen.dim(hash.slice(0, 12)),
  ]);
  const listed = table(screen, ["asked at", "hook", "priority", "about", "kind", "from", "sha256"], rows);
  return [listed, ...notes.map(({ file, line, note }) => screen.dim(`· ${file}:${line}: ${note}`))].join("\n");
}
