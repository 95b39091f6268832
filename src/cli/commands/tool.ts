import type { Command } from "commander";
import { domainError, err, isJsonObject, ok, parseJson, type Result } from "#base";
import type { Runtime, WritConfig } from "#compose";
import type { ToolDescription } from "#tools";
import { type Answer, act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import { exitOfResult } from "../exit-of-result.ts";
import type { Screen } from "../output/screen.ts";
import type { table as Table } from "../output/table.ts";
import { withRuntime } from "../with-runtime.ts";
import { workspaceOf } from "../workspace-of.ts";
import { registerApprove } from "./tool-approve.ts";
import { registerLogin } from "./tool-login.ts";
import { registerRevoke } from "./tool-revoke.ts";

export function register(program: Command, context: CliContext): void {
  const tool = program
    .command("tool")
    .description("what agents can do, and how it is called")
    .addHelpText("after", `\nExamples:\n  $ writ tool list\n  $ writ tool call echo '{"text":"hello"}'\n`);
  registerCall(tool, context);
  registerApprove(tool, context);
  registerRevoke(tool, context);
  registerLogin(tool, context);
  tool
    .command("list")
    .description("every tool, with its schemas and the hash it is pinned by")
    .addHelpText("after", "\nExamples:\n  $ writ tool list\n  $ writ tool list --json | jq '.tools[0].schema_in'\n")
    .action(
      act(context, async (invocation) => {
        const config = await configOf(invocation);
        if (!config.ok) return config;
        const servers =
          config.value && (config.value.mcp.read_mcp_json || Object.keys(config.value.mcp.servers).length > 0);
        if (servers) return withRuntime(invocation, (runtime) => listWithServers(runtime, context));
        const { workspaceTools } = await import("#compose");
        const { shippedRegistry } = await import("#schemas");
        const { describeTools } = await import("#tools");
        const { clock, env } = context;
        const allow = config.value?.tools.allow ?? [];
        // Only described, never called: whether this machine can hold a program is for `writ doctor` to try.
        const runTurn = () => Promise.resolve(err(domainError("SANDBOX_UNAVAILABLE", "nothing is run to list tools")));
        const registry = workspaceTools({ schemas: shippedRegistry(), clock, env, allow, runTurn });
        if (!registry.ok) return registry;
        const tools = describeTools(registry.value);
        const { table } = await import("../output/table.ts");
        return ok({ json: { tools }, text: (screen) => toolTable(tools, screen, table) });
      }),
    );
}

const asJson = `names and texts stand in double quotes, the whole in single ones: '{"text": "hello"}'`;

function registerCall(tool: Command, context: CliContext): void {
  tool
    .command("call")
    .description("call one tool yourself, under a work order that Writ writes for it")
    .argument("<name>", "the tool, such as fs.read")
    .argument("<json>", "its arguments as a JSON object")
    .option("--allow <glob...>", "paths that the call may write, besides the workspace's default")
    .addHelpText("after", `\nExample:\n  $ writ tool call echo '{"text":"hello"}'\n`)
    .action(
      act<{ readonly allow?: readonly string[] }>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const [name = "", text = ""] = invocation.arguments;
          const args = parseJson(text);
          if (!args.ok) return err(domainError("MALFORMED_INPUT", args.error.message, { details: { hint: asJson } }));
          if (!isJsonObject(args.value))
            return err(domainError("MALFORMED_INPUT", "a tool's arguments are a JSON object, such as {}"));
          const order = await runtime.writeToolOrder(name, args.value, invocation.options.allow);
          if (!order.ok) return order;
          const request = { work_order: { ...order.value }, caller_id: runtime.caller };
          const result = await runtime.runFlow(request, { signal: context.signal, fresh: true });
          const content: unknown = result.response === null ? null : JSON.parse(result.response);
          const error = result.error === null ? null : { code: result.error_code, message: result.error };
          const { tellFailure } = await import("../story/tell-failure.ts");
          return ok({
            json: {
              session_id: result.session_id,
              work_order_id: result.work_order_id,
              status: result.status,
              result: content,
              error,
            },
            text: (screen) =>
              error
                ? tellFailure({ status: result.status, code: error.code ?? "", message: error.message }, screen)
                : `${JSON.stringify(content, null, 2)}\n`,
            exit: exitOfResult(result, context.signal),
          });
        }),
      ),
    );
}

/** With MCP servers they are asked too: what they offer, and whether it is what was approved. */
async function listWithServers(runtime: Runtime, context: CliContext): Promise<Result<Answer>> {
  const { describeTools } = await import("#tools");
  const surveys = await runtime.approvals.survey(context.signal);
  const tools = describeTools(runtime.tools);
  const { table } = await import("../output/table.ts");
  const { serversJson, serversText } = await import("../tool/show-servers.ts");
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
async function configOf(invocation: Invocation<object>): Promise<Result<WritConfig | undefined>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root.error.code === "WORKSPACE_NOT_FOUND" && !invocation.root ? ok(undefined) : root;
  const { nodeFiles, readConfig } = await import("#compose");
  const config = await readConfig(root.value, nodeFiles, invocation.context.env);
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
