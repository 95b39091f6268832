import { type AgentContext, type Skill, solo } from "#agents";
import { type DomainError, domainError } from "#core/errors";
import { ok, type Result } from "#core/values";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { StrategyOutcome } from "../flow/flow.ts";

interface SoloParts {
  readonly skills: readonly Skill[];
  readonly notes: readonly string[];
  readonly isReviewed: boolean;
  /** The conversation that it goes on with, and what reaches it meanwhile. */
  readonly thread: Pick<Parameters<typeof solo>[1], "goesOn" | "arriving">;
}

type Undone = Readonly<NonNullable<StrategyOutcome["undone"]>>;

/** One agent carries out the request. What it asked for and did not get makes the answer partial. */
export async function runSolo(
  agents: AgentContext,
  context: ExecutionContext,
  { skills, notes, isReviewed, thread }: SoloParts,
): Promise<Result<StrategyOutcome>> {
  const tools = agents.tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const answered = await solo(
    { ...agents, tools },
    {
      agent_id: context.agent_id,
      skills,
      notes,
      isReviewed,
      isSubagent: context.work_order.parent_work_order_id !== undefined,
      ...thread,
      output_schema: context.work_order.io_schema?.output_schema,
    },
  );
  return answered.ok ? ok(outcomeOf(answered.value)) : answered;
}

interface Answered {
  readonly text: string;
  readonly undone: Undone;
  readonly review?: { readonly verdict: string; readonly feedback: string };
}

function outcomeOf({ text, undone, review }: Answered): StrategyOutcome {
  if (undone.length > 0) return { response: text, verdict: null, error: partialResult(undone), undone: [...undone] };
  const verdict = review?.verdict ?? null;
  return { response: text, verdict, error: verdict === "fail" ? notPassed(review?.feedback ?? "") : null };
}

function notPassed(feedback: string): DomainError {
  return domainError("REVIEW_FAILED", `the reviewer did not accept the work: ${feedback}`, { details: { feedback } });
}

const mostNamed = 3;

function partialResult(undone: Undone): DomainError {
  const named = undone
    .slice(0, mostNamed)
    .map(({ tool, target, state, code }) => `${tool}${target === undefined ? "" : ` ${target}`} (${state}: ${code})`);
  const more = undone.length > mostNamed ? `, and ${undone.length - mostNamed} more` : "";
  return domainError("PARTIAL_RESULT", `answered, but not all of it was done: ${named.join(", ")}${more}`);
}
