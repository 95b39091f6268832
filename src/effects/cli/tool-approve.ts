import type { Answer, CliContext, Invocation } from "#core/commands";
import { type Command, exitStatus, flag, optional, repeatedText } from "#core/commands";
import { domainError } from "#core/errors";
import type { Screen } from "#core/terminal";
import { err, ok, type Result, suggest } from "#core/values";
import type { ServerSurvey, SurveyedTool, ToolApprovals } from "../mcp/tool-approvals.ts";

interface ApproveParts {
  readonly approvals: Pick<ToolApprovals, "servers" | "survey" | "approve">;
}

interface ApproveOptions {
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly declare?: readonly string[];
}

export const toolApprove: Command<"runtime", ApproveParts, ApproveOptions> = {
  name: "approve",
  summary: "look at what an MCP server offers, and pin it as it is",
  needs: "runtime",
  json: "approved, pending and refused",
  arguments: [optional("server[.tool]", "a server, or one of its tools")],
  options: {
    all: flag("every server"),
    yes: flag("do not ask"),
    declare: repeatedText(
      "[tool.]name=class",
      "what a value of it is, in place of the guess: to=reach:mail, returns.mail=owner:mail, reads",
    ),
  },
  about:
    "Nothing of a server is called before it is approved, nor after it changed. What the arguments of its tools are taken for is shown with them: a correction is a part of what is approved. Classes: reach, object, secret, measure, when, label, content, plain.",
  examples: [
    "writ tool approve memory",
    "writ tool approve memory.read_graph --yes",
    "writ tool approve mail.send --declare to=reach:mail --declare subject=label",
  ],
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
  const found = choose(surveys, wanted);
  if (!found.ok) return found;
  const { declare } = await import("./read-declarations.ts");
  const chosen = declare(found.value, options.declare ?? []);
  if (!chosen.ok) return chosen;
  const { toolJson } = await import("./show-servers.ts");
  const { differenceText } = await import("./show-difference.ts");
  const { isOpen } = await import("../mcp/tool-approvals.ts");
  const sinksText = await sinksShown();
  const open = chosen.value.filter(isOpen);
  const stuck = chosen.value.filter(({ problem }) => problem);
  const shown = [...open, ...stuck].map((each) => differenceText(each, screen)).join("");
  if (open.length === 0) {
    const text = stuck.length > 0 ? shown : "Everything is as it was approved.\n";
    const exit = stuck.length > 0 ? exitStatus.refused : exitStatus.done;
    return ok({ json: { approved: [], pending: [], refused: stuck.map(toolJson) }, text: () => text, exit });
  }
  if (!json) context.stdout.write(shown + sinksText(open, screen));
  const settled = { agreed: options.yes === true, open };
  const { agreed, open: approving } =
    settled.agreed || json ? settled : await settle(context, open, { screen, sinksText });
  if (!agreed)
    return ok({
      json: { approved: [], pending: approving.map(toolJson), refused: stuck.map(toolJson) },
      text: () =>
        context.ask
          ? "Nothing was approved.\n"
          : "Nothing was approved: there is no person to ask, and --yes is not given.\n",
      exit: exitStatus.waiting,
    });
  const approved = await approvals.approve(approving);
  if (!approved.ok) return approved;
  return ok({
    json: { approved: approving.map(toolJson), pending: [], refused: stuck.map(toolJson) },
    text: () => `${screen.green("approved")} ${approving.map(({ name }) => name).join(", ")}\n`,
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

/** Shows what the arguments of tools are taken for, by what is declared of them and else by their names. */
async function sinksShown(): Promise<(open: readonly SurveyedTool[], screen: Screen) => string> {
  const { sinksText } = await import("./show-sinks.ts");
  const { table } = await import("../../core/terminal/table.ts");
  const { describeSinks } = await import("../../governance/values/describe-sinks.ts");
  const { declaredOf } = await import("../mcp/tool-approvals.ts");
  const { annotationsOf } = await import("../mcp/wire-tool.ts");
  return (open, screen) => {
    const described = open.flatMap((each) => {
      if (!each.offered) return [];
      const { definition } = each.offered;
      const declared = declaredOf(each);
      const rights = { pack: "standard", ...(declared ? { tools: { [each.name]: declared } } : {}) };
      const annotations = annotationsOf(definition);
      return describeSinks([{ name: each.name, annotations, schema_in: definition["inputSchema"] as object }], rights);
    });
    return sinksText(described, screen, table);
  };
}

interface Shown {
  readonly screen: Screen;
  readonly sinksText: (open: readonly SurveyedTool[], screen: Screen) => string;
}

/** Asks whether to approve; each answer that corrects what was shown is shown, and asked about again. */
async function settle(
  context: CliContext,
  asked: readonly SurveyedTool[],
  { screen, sinksText }: Shown,
): Promise<{ readonly agreed: boolean; readonly open: readonly SurveyedTool[] }> {
  const { declare, isDeclaration } = await import("./read-declarations.ts");
  let open = asked;
  if (context.ask && sinksText(open, screen) !== "") context.stdout.write(screen.dim(howToCorrect));
  for (let round = 0; round < mostRounds; round++) {
    const answer = await askAbout(context, open);
    if (!isDeclaration(answer)) return { agreed: /^y(es)?$/i.test(answer), open };
    const corrected = declare(open, answer.split(/[\s,]+/).filter(Boolean));
    if (corrected.ok) open = corrected.value;
    const wrong = corrected.ok ? "" : `${corrected.error.message}: ${String(corrected.error.details["hint"])}\n`;
    context.stdout.write(wrong === "" ? sinksText(open, screen) : wrong);
  }
  return { agreed: false, open };
}

const howToCorrect =
  "To correct a guess, answer with words such as to=reach:mail, subject=label, or reads for a tool that only reads.\n";

/** Corrections of one approval: who needs more says them all at once. */
const mostRounds = 50;

async function askAbout(context: CliContext, open: readonly SurveyedTool[]): Promise<string> {
  if (!context.ask) return "";
  const answer = await context.ask(
    `Approve ${open.length === 1 ? open[0]?.name : `these ${open.length} tools`}? [y/N] `,
  );
  return answer.trim();
}
