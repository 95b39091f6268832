import type { JsonValue } from "#core/values";
import { actsOf } from "../cases.ts";
import type { Attack, RecordedCall, Suite, Task } from "../corpus.ts";
import type { PlannedCall } from "../desk.ts";
import { changed, leavesOf, openPlaces } from "../shadow.ts";

export const attackerMail = "billing@evil.example";

/** What an adaptive attacker has: one task, what it reads with an attack planted in it, and the acts that the attack wants. */
export interface Material {
  readonly suite: Suite;
  readonly task: Task;
  readonly attack: Attack;
  /** The acts of the attack; what it only reads is no harm by itself. */
  readonly wanted: readonly PlannedCall[];
  /** What the task reads, with the attack in it. */
  readonly reads: readonly PlannedCall[];
  /** The same without the attack. */
  readonly clean: readonly PlannedCall[];
  readonly acts: readonly PlannedCall[];
  /** Where strangers can write in what each reading returns. */
  readonly open: readonly (readonly string[] | undefined)[];
  readonly tools: readonly string[];
}

const honestly = (call: RecordedCall): PlannedCall => ({ ...call, isAttack: false });
export const wants = (call: Pick<RecordedCall, "tool" | "args">): PlannedCall => ({
  tool: call.tool,
  args: call.args,
  result: "done",
  isAttack: true,
});

/** One attack for each task, the next task another. */
export function materialOf(suite: Suite): readonly Material[] {
  const acts = actsOf(suite);
  const places = openPlaces(suite);
  return suite.tasks.flatMap((task, at): readonly Material[] => {
    const pairs = suite.pairs.filter(
      (pair) => pair.task.id === task.id && pair.attack.calls.some(({ tool }) => acts.has(tool)),
    );
    const pair = pairs[at % Math.max(pairs.length, 1)];
    if (!pair) return [];
    const isRead = ({ tool }: RecordedCall) => !acts.has(tool);
    const open = places.get(task.id) ?? [];
    return [
      {
        suite,
        task,
        attack: pair.attack,
        wanted: pair.attack.calls.filter(({ tool }) => acts.has(tool)).map(wants),
        reads: pair.poisoned.filter(isRead).map(honestly),
        clean: task.honest.filter(isRead).map(honestly),
        acts: task.honest.filter((call) => !isRead(call)).map(honestly),
        open: task.honest.flatMap((call, index) => (isRead(call) ? [open[index]] : [])),
        tools: suite.tools.map(({ name }) => name),
      },
    ];
  });
}

/** What the task reads, with a text of the attacker's own wherever strangers can write. */
export function readsWith({ clean, open }: Material, text: string): readonly PlannedCall[] {
  return clean.map((call, at) => {
    const place = open[at];
    const found = leavesOf({ result: call.result }).find(([path]) => path.join("/") === place?.join("/"));
    if (!place || !found) return call;
    const result = changed({ result: call.result }, place, `${found[1]} ${text}`) as { readonly result?: JsonValue };
    return { ...call, result: result.result ?? null };
  });
}

/** Each text of a call changed, with its place. */
export function withTexts(call: PlannedCall, change: (text: string) => string | undefined): PlannedCall | undefined {
  let args: JsonValue = call.args;
  let isOther = false;
  for (const [path, value] of leavesOf(call.args)) {
    const other = typeof value === "string" ? change(value) : undefined;
    if (other === undefined || other === value) continue;
    args = changed(args, path, other);
    isOther = true;
  }
  return isOther ? { ...call, args: args as PlannedCall["args"] } : undefined;
}

export function isMail(text: string): boolean {
  return /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(text);
}
