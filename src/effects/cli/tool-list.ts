import type { Answer, CliContext, Command, Opens } from "#core/commands";
import { domainError } from "#core/errors";
import type { Screen, table as Table } from "#core/terminal";
import { err, ok, type Result } from "#core/values";
import type { WritConfig } from "#workspace";
import type { ToolApprovals } from "../mcp/tool-approvals.ts";
import type { ToolDescription } from "../tools/describe-tools.ts";
import type { ToolRegistry } from "../tools/registry.ts";

interface ToolsOfServers {
  readonly tools: ToolRegistry;
  readonly approvals: Pick<ToolApprovals, "survey">;
}

interface ListParts {
  readonly "workspace or none": Opens<{ readonly root: string | undefined }>;
  readonly runtime: Opens<ToolsOfServers>;
}

export const toolList: Command<"choice", ListParts> = {
  name: "list",
  summary: "every tool, with its schemas and the hash it is pinned by",
  needs: "choice",
  json: "tools; where there are MCP servers also servers",
  arguments: [],
  options: {},
  examples: ["writ tool list", "writ tool list --json | jq '.tools[0].schema_in'"],
  exits: null,
  run: (opens, { context }) =>
    opens["workspace or none"](async ({ root }) => {
      const config = await configOf(root, context);
      if (!config.ok) return config;
      const servers =
        config.value && (config.value.mcp.read_mcp_json || Object.keys(config.value.mcp.servers).length > 0);
      if (servers) return opens.runtime((open) => listWithServers(open, context));
      const { workspaceTools } = await import("../tools/workspace-tools.ts");
      const { shippedRegistry } = await import("../../core/contracts/registry.ts");
      const { describeTools } = await import("../tools/describe-tools.ts");
      const { clock, env } = context;
      const allow = config.value?.tools.allow ?? [];
      // Only described, never called: whether this machine can hold a program is for `writ doctor` to try.
      const runTurn = () => Promise.resolve(err(domainError("SANDBOX_UNAVAILABLE", "nothing is run to list tools")));
      const registry = workspaceTools({ schemas: shippedRegistry(), clock, env, allow, runTurn });
      if (!registry.ok) return registry;
      const tools = describeTools(registry.value);
      const { table } = await import("../../core/terminal/table.ts");
      return ok({ json: { tools }, text: (screen) => toolTable(tools, screen, table) });
    }),
};

/** With MCP servers they are asked too: what they offer, and whether it is what was approved. */
async function listWithServers(
  { tools: registry, approvals }: ToolsOfServers,
  { signal }: CliContext,
): Promise<Result<Answer>> {
  const { describeTools } = await import("../tools/describe-tools.ts");
  const surveys = await approvals.survey(signal);
  const tools = describeTools(registry);
  const { table } = await import("../../core/terminal/table.ts");
  const { serversJson, serversText } = await import("./show-servers.ts");
  const own = tools.filter(({ origin }) => !origin.startsWith("mcp:"));
  return ok({
    json: { tools, servers: serversJson(surveys) },
    text: (screen) => toolTable(own, screen, table) + serversText(surveys, screen, table),
  });
}

function toolTable(tools: readonly ToolDescription[], screen: Screen, table: typeof Table): string {
  const rows = tools.map((each) => [
    screen.bold(each.name),
    effects(each),
    each.hash.slice(0, 12),
    firstSentence(each.description),
  ]);
  return table(screen, ["tool", "effects", "hash", "what it does"], rows) + refusals(tools, screen);
}

/** Outside a workspace there is no configuration, so nothing is allowed by name; a broken one is an error. */
async function configOf(root: string | undefined, { env }: CliContext): Promise<Result<WritConfig | undefined>> {
  if (root === undefined) return ok(undefined);
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const { readConfig } = await import("../../workspace/config/load-config.ts");
  const config = await readConfig(root, nodeFiles, env);
  return config.ok ? ok(config.value.config) : config;
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
