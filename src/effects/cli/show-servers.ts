import type { Screen, table as Table } from "#core/terminal";
import type { ServerSurvey, SurveyedTool } from "../mcp/tool-approvals.ts";
import { visible } from "../mcp/visible.ts";

/** Servers and their tools for programs: the wire objects as they came, and what differs. */
export function serversJson(surveys: readonly ServerSurvey[]): unknown {
  return surveys.map(({ server, declaredIn, launch, error, tools, unusable }) => ({
    server,
    declared_in: declaredIn,
    launch,
    error: error ? { code: error.code, message: error.message } : null,
    tools: tools.map(toolJson),
    unusable,
  }));
}

export function toolJson(tool: SurveyedTool): unknown {
  return {
    name: tool.name,
    tool: tool.tool,
    state: tool.state,
    hash: tool.offered?.hash ?? null,
    pinned_hash: tool.pin?.hash ?? null,
    differences: tool.state === "new" ? [] : tool.differences,
    problem: tool.problem?.message ?? null,
  };
}

/** Descriptions are the server's words: shown with nothing hidden, cut short, never taken for ours. */
export function serversText(surveys: readonly ServerSurvey[], screen: Screen, table: typeof Table): string {
  return surveys
    .map((survey) => {
      const head = `\n${screen.bold(survey.server)} ${screen.dim(`MCP server, declared in ${survey.declaredIn}`)}\n`;
      const failed = survey.error ? `${screen.red("not reached:")} ${visible(survey.error.message)}\n` : "";
      const rows = survey.tools.map((tool) => [
        screen.bold(tool.name),
        colored(tool.state, screen),
        (tool.offered ?? tool.pin)?.hash.slice(0, 12) ?? "",
        describe(tool),
      ]);
      const tools = rows.length > 0 ? table(screen, ["tool", "state", "hash", "what its server says"], rows) : "";
      const odd = survey.unusable.map(
        ({ tool, why }) => `${screen.yellow(visible(tool))} is unusable: ${visible(why)}\n`,
      );
      return head + failed + tools + odd.join("") + renderRemedy(survey, screen);
    })
    .join("");
}

function describe(tool: SurveyedTool): string {
  if (tool.problem) return `cannot be approved: ${visible(tool.problem.message)}`;
  const text = (tool.offered ?? tool.pin)?.definition["description"];
  const line = visible(typeof text === "string" ? text : "");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function renderRemedy({ server, tools }: ServerSurvey, screen: Screen): string {
  const open = tools.filter(({ state }) => state !== "pinned").length;
  if (open === 0) return "";
  return screen.yellow(`${open} of ${tools.length} may not be called.`) + ` writ tool approve ${server}\n`;
}

function colored(state: SurveyedTool["state"], screen: Screen): string {
  switch (state) {
    case "pinned":
      return screen.green(state);
    case "changed":
      return screen.red(state);
    case "new":
    case "vanished":
      return screen.yellow(state);
  }
}
