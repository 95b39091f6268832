import type { Answer, CliContext, Invocation } from "#core/commands";
import { type Command, exitStatus, flag, optional } from "#core/commands";
import { domainError } from "#core/errors";
import { err, ok, type Result, suggest } from "#core/values";
import type { ServerSurvey, SurveyedTool, ToolApprovals } from "../mcp/tool-approvals.ts";

interface ApproveParts {
  readonly approvals: Pick<ToolApprovals, "servers" | "survey" | "approve">;
}

interface ApproveOptions {
  readonly all?: boolean;
  readonly yes?: boolean;
}

export const toolApprove: Command<"runtime", ApproveParts, ApproveOptions> = {
  name: "approve",
  summary: "look at what an MCP server offers, and pin it as it is",
  needs: "runtime",
  json: "approved, pending and refused",
  arguments: [optional("server[.tool]", "a server, or one of its tools")],
  options: { all: flag("every server"), yes: flag("do not ask") },
  about: "Nothing of a server is called before it is approved, nor after it changed.",
  examples: ["writ tool approve memory", "writ tool approve memory.read_graph --yes"],
  exits: null,
  run: ({ approvals }, invocation) => approve(approvals, invocation),
};

async function approve(
  approvals: ApproveParts["approvals"],
  invocation: Invocation<ApproveOptions>,
): Promise<Result<Answer>> {
  const { context, screen, options, json } = invocation;
  const wanted = invocation.arguments[0];
  const server = serverOf(wanted, options.all ?? false, approvals.servers);
  if (!server.ok) return server;
  const surveys = await approvals.survey(context.signal, server.value);
  const unreachable = surveys.find(({ error }) => error)?.error;
  if (unreachable && surveys.length === 1) return err(unreachable);
  const chosen = choose(surveys, wanted);
  if (!chosen.ok) return chosen;
  const { toolJson } = await import("./show-servers.ts");
  const { differenceText } = await import("./show-difference.ts");
  const open = chosen.value.filter(({ state, problem }) => state !== "pinned" && !problem);
  const stuck = chosen.value.filter(({ problem }) => problem);
  const shown = [...open, ...stuck].map((each) => differenceText(each, screen)).join("");
  if (open.length === 0) {
    const text = stuck.length > 0 ? shown : "Everything is as it was approved.\n";
    const exit = stuck.length > 0 ? exitStatus.refused : exitStatus.done;
    return ok({ json: { approved: [], pending: [], refused: stuck.map(toolJson) }, text: () => text, exit });
  }
  if (!json) context.stdout.write(shown);
  const agreed = options.yes === true || (!json && (await agrees(context, open)));
  if (!agreed)
    return ok({
      json: { approved: [], pending: open.map(toolJson), refused: stuck.map(toolJson) },
      text: () =>
        context.ask
          ? "Nothing was approved.\n"
          : "Nothing was approved: there is no person to ask, and --yes is not given.\n",
      exit: exitStatus.waiting,
    });
  const approved = await approvals.approve(open);
  if (!approved.ok) return approved;
  return ok({
    json: { approved: open.map(toolJson), pending: [], refused: stuck.map(toolJson) },
    text: () => `${screen.green("approved")} ${open.map(({ name }) => name).join(", ")}\n`,
  });
}

function serverOf(
  wanted: string | undefined,
  all: boolean,
  servers: readonly string[],
): Result<readonly string[] | undefined> {
  if (wanted === undefined)
    return all
      ? ok(undefined)
      : err(domainError("MALFORMED_INPUT", "say which server or tool to approve, or --all", { details: { servers } }));
  const [server = ""] = wanted.split(".");
  if (servers.includes(server)) return ok([server]);
  const hint = suggest(server, servers);
  return err(
    domainError("NOT_FOUND", `there is no MCP server "${server}" in this workspace`, {
      details: {
        hint: hint === undefined ? "servers are declared under mcp.servers in writ.yaml" : `did you mean ${hint}?`,
      },
    }),
  );
}

function choose(surveys: readonly ServerSurvey[], wanted: string | undefined): Result<readonly SurveyedTool[]> {
  const tools = surveys.flatMap((survey) => survey.tools);
  if (wanted === undefined || !wanted.includes(".")) return ok(tools);
  const found = tools.filter(({ name, server, tool }) => name === wanted || `${server}.${tool}` === wanted);
  if (found.length > 0) return ok(found);
  return err(domainError("NOT_FOUND", `no server offers a tool "${wanted}"`, { details: { hint: "writ tool list" } }));
}

async function agrees(context: CliContext, open: readonly SurveyedTool[]): Promise<boolean> {
  if (!context.ask) return false;
  const answer = await context.ask(
    `Approve ${open.length === 1 ? open[0]?.name : `these ${open.length} tools`}? [y/N] `,
  );
  return /^y(es)?$/i.test(answer.trim());
}
