import type { Command } from "commander";
import { ok } from "#base";
import type { ShownConfig } from "#compose";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { workspaceOf } from "../workspace-of.ts";

export function register(program: Command, context: CliContext): void {
  const config = program
    .command("config")
    .description("the configuration in force")
    .addHelpText("after", "\nExample:\n  $ writ config show\n");
  config
    .command("show")
    .description("every value in force and where it comes from: default, writ.yaml or the environment")
    .option("--changed", "only what differs from the defaults")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ config show\n  $ writ config show --changed\n  $ writ config show --json | jq .config.limits\n",
    )
    .action(
      act<{ changed?: boolean }>(context, async (invocation) => {
        const root = await workspaceOf(invocation);
        if (!root.ok) return root;
        const { nodeFiles, readConfig, showConfig } = await import("#compose");
        const effective = await readConfig(root.value, nodeFiles, context.env);
        if (!effective.ok) return effective;
        const shown = showConfig(effective.value);
        const values = shown.values.filter(({ origin }) => !invocation.options.changed || origin !== "default");
        return ok({
          json: {
            file: effective.value.file,
            config: shown.config,
            origins: Object.fromEntries(values.map(({ path, origin }) => [path, origin])),
          },
          text: (screen) => describe(values, screen),
        });
      }),
    );
}

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
