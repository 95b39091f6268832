import type { WorkOrder } from "#core/contracts";

/** One right that a work order needs, and why. */
export interface Need {
  readonly right: string;
  readonly because: string;
  /** The tool that really acts by this right; development mode runs only those that the configuration names. */
  readonly effect?: string;
}

/** Everything that must be granted before an order may act. */
export function orderNeeds(order: WorkOrder, agent_class: string): readonly Need[] {
  const tools = (order.tool_permissions ?? []).map((each) => (typeof each === "string" ? each : each.tool));
  return [
    { right: "order.submit", because: "it is a work order" },
    { right: `framework:${order.framework_id}`, because: "it runs under this framework" },
    { right: `class:${agent_class}`, because: "its agent is of this class" },
    ...tools.map((tool) => ({ right: `tool:${tool}`, because: "its tool_permissions name it", effect: tool })),
  ];
}

/** What only a new order needs: older orders were submitted when programs needed no right. */
export function programNeeds({ acceptance, type }: WorkOrder): readonly Need[] {
  const commands = [...(acceptance.tests ?? []), ...(acceptance.checks ?? [])].filter(
    (each) => typeof each === "string" || each.command !== undefined,
  );
  return [
    ...(commands.length === 0 ? [] : [{ right: "tool:exec", because: "its acceptance runs programs", effect: "exec" }]),
    ...(type === "turn" ? [{ right: "tool:exec", because: "it runs a program as a turn", effect: "turn" }] : []),
  ];
}

/** The limits that an order runs with: its own, filled up from the framework and the configuration. */
export interface AskedBudget {
  readonly token_limit: number;
  readonly usd_limit?: number | undefined;
}

/** How far an order reaches. Needed where rights bound it; without a bound it is what order and framework say. */
export function reachNeeds({ scope }: WorkOrder, { token_limit, usd_limit }: AskedBudget): readonly Need[] {
  const each = (kind: string, list: readonly string[] | undefined, because: string) =>
    (list ?? []).map((name) => ({ right: `${kind}:${name}`, because }));
  return [
    ...each("path", scope.allowed_files, "its scope.allowed_files name it"),
    ...each("path", scope.code_that_runs, "its scope.code_that_runs name it: code that runs"),
    ...each("read", scope.read_files, "its scope.read_files name it"),
    ...each("host", scope.hosts, "its scope.hosts name it"),
    { right: `tokens:${token_limit}`, because: "its token_limit, or the default where it has none" },
    { right: `usd:${usd_limit ?? "unlimited"}`, because: "its usd_limit, or the default where it has none" },
  ];
}
