import type { Screen } from "#core/terminal";
import type { SurveyedTool } from "../mcp/tool-approvals.ts";
import { visible } from "../mcp/visible.ts";

/** What a person decides on, field by field. Every text is the server's and hides nothing; long ones are shown whole. */
export function differenceText(tool: SurveyedTool, screen: Screen): string {
  const head = `${screen.bold(tool.name)} ${screen.yellow(tool.state)}${tool.tool === tool.name.slice(tool.server.length + 1) ? "" : screen.dim(` (its server calls it ${visible(tool.tool)})`)}\n`;
  const problem = tool.problem ? `  ${screen.red("cannot be approved:")} ${visible(tool.problem.message)}\n` : "";
  const fields = tool.differences.map(({ field, approved, offered }) => {
    const was = approved === undefined ? "" : `    ${screen.red("-")} ${approved}\n`;
    const is = offered === undefined ? "" : `    ${screen.green("+")} ${offered}\n`;
    return `  ${field}\n${was}${is}`;
  });
  return `${head}${problem}${fields.join("")}\n`;
}
