import type { Command } from "#core/commands";
import type { Screen } from "#core/terminal";
import { count, fold, money, moneySpent, oneLine, overBudget, plural } from "#core/terminal";
import { ok } from "#core/values";
import type { replay, Snapshot } from "#log";
import { type SelectedSession, sessionOrLast } from "#log";

type ReplayParts = SelectedSession<Parameters<typeof replay>[1]>;

export const sessionReplay: Command<"recorded session", ReplayParts> = {
  name: "replay",
  summary: "work out the session's end state from its events alone; nothing is called and nothing is changed",
  needs: "recorded session",
  json: "session_snapshot_v1",
  arguments: [sessionOrLast],
  options: {},
  examples: ["writ session replay last", "writ session replay 7qk2 --json | jq .cost"],
  exits: null,
  run: async ({ session_id, records }) => {
    const { replay } = await import("../../log/fold/replay.ts");
    const snapshot = await replay(session_id, records);
    return snapshot.ok ? ok({ json: snapshot.value, text: (screen) => describe(snapshot.value, screen) }) : snapshot;
  },
};

function describe(snapshot: Snapshot, screen: Screen): string {
  const { cost, children, work_order, workflow, gates } = snapshot;
  const tools = new Map<string, number>();
  for (const { name } of snapshot.tools_invoked) tools.set(name, (tools.get(name) ?? 0) + 1);
  const rows: readonly (readonly [string, string])[] = [
    ["session", snapshot.session_id],
    ["state", snapshot.closed ? `closed, ${snapshot.status}` : "open"],
    ["work order", work_order ? `${work_order.work_order_id} ${screen.dim(work_order.status)}` : ""],
    ["output", snapshot.output === null ? "" : oneLine(snapshot.output)],
    ["verdict", snapshot.verdict ?? ""],
    ["cost", `${count(cost.input)} in, ${count(cost.output)} out, ${moneySpent(cost.usd, snapshot.unpriced_models)}`],
    [
      "below",
      children
        ? `${plural(children.orders, "order")}: ${count(children.input)} in, ${count(children.output)} out, ${money(children.usd)}`
        : "",
    ],
    ["budget", snapshot.over_budget ? overBudget(snapshot.over_budget) : ""],
    [
      "agents",
      Object.entries(snapshot.agents)
        .map(([actor, state]) => `${oneLine(actor)} ${screen.dim(state)}`)
        .join("  "),
    ],
    ["tools", [...tools].map(([name, times]) => `${oneLine(name)}${times > 1 ? ` x${times}` : ""}`).join("  ")],
    [
      "gates",
      `${gates.allow} allowed, ${gates.transform} transformed, ${gates.deny} denied, ${gates.ask} asked, ${gates.refused} refused${gates.deny > 0 ? " (a Stop that denies ends the loop, as it should)" : ""}`,
    ],
    [
      "workflow",
      workflow ? `${workflow.cycle_id}, phase ${workflow.phase ?? "none"}, ${workflow.verdict ?? "running"}` : "",
    ],
    ["events", `${plural(snapshot.event_count, "event")}, head ${snapshot.head_hash}`],
  ];
  const lines = rows
    .filter(([, text]) => text !== "")
    .map(([label, text]) => fold(screen, `  ${screen.dim(label.padEnd(11))} ${text}`, 14));
  return `${lines.join("\n")}\n\n${screen.dim("Replayed from the log; no model and no tool was called.")}\n`;
}
