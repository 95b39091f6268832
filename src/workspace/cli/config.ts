import { type Command, type CommandGroup, flag } from "#core/commands";
import type { Screen } from "#core/terminal";
import { table } from "#core/terminal";
import { ok } from "#core/values";
import type { ShownConfig } from "../config/show-config.ts";

interface WorkspaceParts {
  readonly root: string;
}

interface ShowOptions {
  readonly changed?: boolean;
}

const show: Command<"workspace", WorkspaceParts, ShowOptions> = {
  name: "show",
  summary: "every value in force and where it comes from: default, writ.yaml or the environment",
  needs: "workspace",
  json: "file, config (writ_config_v1) and origins by path",
  arguments: [],
  options: { changed: flag("only what differs from the defaults") },
  examples: ["writ config show", "writ config show --changed", "writ config show --json | jq .config.limits"],
  exits: null,
  run: async ({ root }, { options, context }) => {
    const { nodeFiles } = await import("../../core/machine/node-files.ts");
    const { readConfig } = await import("../config/load-config.ts");
    const { showConfig } = await import("../config/show-config.ts");
    const effective = await readConfig(root, nodeFiles, context.env);
    if (!effective.ok) return effective;
    const shown = showConfig(effective.value);
    const values = shown.values.filter(({ origin }) => !options.changed || origin !== "default");
    return ok({
      json: {
        file: effective.value.file,
        config: shown.config,
        origins: Object.fromEntries(values.map(({ path, origin }) => [path, origin])),
      },
      text: (screen) => describe(values, screen),
    });
  },
};

export const config: CommandGroup<typeof show> = {
  name: "config",
  summary: "the configuration in force",
  examples: ["writ config show"],
  members: [show],
};

function describe(values: ShownConfig["values"], screen: Screen): string {
  if (values.length === 0) return "Every value is the default.\n";
  return table(
    screen,
    ["key", "value", "from"],
    values.map(({ path, value, origin }) => [
      path,
      JSON.stringify(value),
      origin === "default" ? screen.dim(origin) : screen.cyan(origin),
    ]),
  );
}
