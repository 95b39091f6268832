import type { Screen } from "#core/terminal";
import { clauseText } from "#governance/mandate";
import type { OrderExplanation } from "../flow/explain-order.ts";

/** A work order's rights for a person: what is asked for, what is granted, by whom, and what is missing. */
export function renderOrder(order: OrderExplanation, screen: Screen): string {
  const mark = (granted: boolean) => (granted ? screen.green(screen.sign.ok) : screen.red(screen.sign.bad));
  const named = (source: string, patterns: readonly string[]) =>
    `  ${source}: ${patterns.join(", ") || screen.yellow("none")}`;
  const { budget } = order;
  const money = budget.usd_limit === undefined ? "" : `, $${budget.usd_limit.toFixed(2)}`;
  const lines = [
    `${screen.bold(order.work_order_id)}  ${order.framework_id} ${screen.sign.dot} ${order.agent_class} ${screen.sign.dot} ${order.tier}`,
    `budget  ${budget.token_limit.toLocaleString("en-US")} tokens, ${budget.turn_limit} model call${budget.turn_limit === 1 ? "" : "s"}, ${budget.timeout_seconds} s${money}`,
    `skill   ${order.skill ? `${order.skill.id}: ${order.skill.reason}` : "none"}`,
    "",
    `asked for, and granted by ${order.authorization.by}:`,
    ...order.authorization.needs.map(
      (need) => `  ${mark(need.granted)} ${need.right.padEnd(28)} ${screen.dim(need.because)}`,
    ),
    "",
    "tools:",
    ...order.tools.map(({ tool, allowed, because }) => `  ${mark(allowed)} ${tool.padEnd(12)} ${screen.dim(because)}`),
    "",
    "paths that may be read are those that all of these name:",
    ...order.mandate.read.map(({ document, lists }) => {
      const places = lists.map(({ path }) => path).join(", ");
      return named(clauseText({ document, path: places }), [...new Set(lists.flatMap(({ patterns }) => patterns))]);
    }),
    ...order.mandate.forbidden
      .filter(({ patterns }) => patterns.length > 0)
      .map(({ patterns, ...clause }) => named(`and none of ${clauseText(clause)}`, patterns)),
    "",
    "paths that may be written are those that all of these name:",
    ...order.paths.map(({ source, patterns }) => named(source, patterns)),
    "",
  ];
  return lines.join("\n");
}
