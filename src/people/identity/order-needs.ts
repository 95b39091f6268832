import type { WorkOrder } from "#core/contracts";

/** One right that a work order needs, and why. */
export interface Need {
  readonly right: string;
  readonly because: string;
}

/** Everything that must be granted before an order may act. */
export function orderNeeds(order: WorkOrder, agent_class: string): readonly Need[] {
  const tools = (order.tool_permissions ?? []).map((each) => (typeof each === "string" ? each : each.tool));
  return [
    { right: "order.submit", because: "it is a work order" },
    { right: `framework:${order.framework_id}`, because: "it runs under this framework" },
    { right: `class:${agent_class}`, because: "its agent is of this class" },
    ...tools.map((tool) => ({ right: `tool:${tool}`, because: "its tool_permissions name it" })),
  ];
}

/** What only a new order needs: older orders were submitted when an acceptance command needed no right. */
export function programNeeds({ acceptance }: WorkOrder): readonly Need[] {
  const commands = [...(acceptance.tests ?? []), ...(acceptance.checks ?? [])];
  return commands.length === 0 ? [] : [{ right: "tool:exec", because: "its acceptance runs programs" }];
}
