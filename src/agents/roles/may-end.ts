import { ok, type Result } from "#core/values";
import type { HookHandler } from "#governance";
import type { AgentContext } from "./agent-context.ts";

/** After so many times in a row the work ends whatever hooks say, as in Claude Code. */
const mostTimes = 8;

/** Finished work, and how often hooks kept it from ending before. */
export interface FinishedWork {
  readonly answer: string;
  readonly times: number;
  /** Whether the order is one that another handed down. */
  readonly isSubagent: boolean;
}

/** Whether the workspace has a say at Stop. Where it has none the work ends and no hook is asked. */
export function hasStopHooks({ hooks }: Pick<AgentContext, "hooks">): boolean {
  return hooks
    .list()
    .some(({ point, shipped }: Pick<HookHandler, "point" | "shipped">) => point === "Stop" && !shipped);
}

/**
 * Asks the workspace's hooks at Stop about finished work. A hook that lets the loop go on keeps the agent from ending; its reason is
 * what there is left to do. Undefined: the work may end.
 */
export async function leftToDo(
  context: Pick<AgentContext, "hooks" | "recorder" | "signal">,
  { answer, times, isSubagent }: FinishedWork,
): Promise<Result<string | undefined>> {
  if (times >= mostTimes || !hasStopHooks(context)) return ok(undefined);
  const payload = {
    ok: true,
    verdict: "pass",
    rework_count: times,
    terminal: times + 1 >= mostTimes,
    answer,
    ...(isSubagent ? { subagent: true } : {}),
  };
  const { recorder, signal } = context;
  const fired = await context.hooks.fire("Stop", { subject: "answer", payload }, { recorder, signal });
  if (!fired.ok) return fired;
  return ok(fired.value.decision === "allow" ? fired.value.reason : undefined);
}

/** What the agent hears instead of ending. */
export function notDoneYet(reason: string): string {
  return `A hook of this workspace does not let the work end yet:\n\n${reason}`;
}
