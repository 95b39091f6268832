import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { ToolDescription } from "#tools";
import { act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import type { Screen } from "../output/screen.ts";
import { workspaceOf } from "../workspace-of.ts";

export function register(program: Command, context: CliContext): void {
  const tool = program.command("tool").description("what agents can do, and how it is called");
  tool
    .command("list")
    .description("every tool, with its schemas and the hash it is pinned by")
    .addHelpText("after", "\nExamples:\n  $ writ tool list\n  $ writ tool list --json | jq '.tools[0].schema_in'\n")
    .action(
      act(context, async (invocation) => {
        const allow = await allowedByName(invocation);
        if (!allow.ok) return allow;
        const { workspaceTools } = await import("#compose");
        const { shippedRegistry } = await import("#schemas");
        const { describeTools } = await import("#tools");
        const { clock, random, env } = context;
        const registry = workspaceTools({ schemas: shippedRegistry(), clock, random, env, allow: allow.value });
        if (!registry.ok) return registry;
        const tools = describeTools(registry.value);
        const { table } = await import("../output/table.ts");
        return ok({
          json: { tools },
          text: (screen) =>
            table(
              screen,
              ["tool", "effects", "hash", "what it does"],
              tools.map((each) => [
                screen.bold(each.name),
                effects(each),
                each.hash.slice(0, 12),
                firstSentence(each.description),
              ]),
            ) + refusals(tools, screen),
        });
      }),
    );
}

/** Outside a workspace there is no configuration, so nothing is allowed by name; a broken one is an error. */
async function allowedByName(invocation: Invocation<object>): Promise<Result<readonly string[]>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root.error.code === "WORKSPACE_NOT_FOUND" && !invocation.root ? ok([]) : root;
  const { nodeFiles, readConfig } = await import("#compose");
  const config = await readConfig(root.value, nodeFiles, invocation.context.env);
  return config.ok ? ok(config.value.config.tools.allow) : config;
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/)[0] ?? text;
}

function refusals(tools: readonly ToolDescription[], screen: Screen): string {
  const refused = tools.filter(({ available }) => !available);
  return refused.map(({ name, reason }) => `\n${screen.yellow(`${name} is refused:`)} ${reason}.\n`).join("");
}

function effects({ annotations }: ToolDescription): string {
  if (annotations.readOnly) return "reads";
  return annotations.openWorld ? "anything" : "writes";
}
