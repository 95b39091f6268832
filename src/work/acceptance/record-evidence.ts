import type { AgentContext } from "#agents";
import type { SchemaTypes } from "#core/contracts";
import { canonicalJson, ok, sha256 } from "#core/values";
import { decodeText } from "#effects";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies, FlowState } from "../flow/flow.ts";
import { filesChanged } from "./changed-files.ts";
import { lookUp, quotesOf, type ReadText } from "./citations.ts";
import { tryReviewGates } from "./review-gates.ts";
import type { GateResult } from "./try-criterion.ts";

type Evidence = SchemaTypes["evidence_v1"];

const mostRequest = 8_000;
const mostTail = 2_000;

/**
 * Tries what needs no judgement, folds what the order did, and records both before a reviewer sees them. A session that goes
 * on gives back what it recorded.
 */
export function recordEvidence(
  deps: FlowDependencies,
  state: FlowState,
  context: ExecutionContext,
): NonNullable<AgentContext["evidence"]> {
  return async (answer) => {
    const { session, tally, prompt } = state;
    const gates = await tryReviewGates(deps, state, context, answer);
    if (!gates.ok) return gates;
    const pending = await deps.pendingWrites(session.session_id);
    const differences = new Map(pending?.writes.map(({ path, difference }) => [path, difference]));
    const did = tally.evidence.document(
      filesChanged(deps, state).map(({ path, change, sha256: hash }) => {
        const diff = differences.get(path);
        return { path, change, sha256: hash ?? null, ...(diff ? { diff } : {}) };
      }),
    );
    const quotes = quotesOf(answer, prompt);
    const citations = quotes.length === 0 ? [] : lookUp(quotes, await textsOf(deps, context, did.reads));
    const evidence: Evidence = {
      ...did,
      request: prompt.slice(0, mostRequest).toWellFormed(),
      acceptance: gates.value.map(gateOf),
      citations: [...citations],
      budget: budgetOf(tally, context),
    };
    const shown = shownBefore(session, evidence) ?? evidence;
    const recorded = session.stage({
      type: "evidence.folded",
      actor: "flow",
      payload: { evidence: shown, evidence_hash: sha256(canonicalJson(shown)) },
    });
    return recorded.ok ? ok(recorded.value.payload.evidence) : recorded;
  };
}

/** A fork that did the same as its parent shows its reviewer the same: only what it cost is another matter, for it paid nothing. */
function shownBefore({ past }: FlowState["session"], evidence: Evidence): Evidence | undefined {
  const before = past?.of === "parent" ? past.takeSettled("evidence.folded")?.payload.evidence : undefined;
  if (!before) return undefined;
  const done = ({ budget: _, counts: __, ...rest }: Evidence) => canonicalJson(rest);
  return done(before) === done(evidence) ? before : undefined;
}

function gateOf({
  gate,
  passed,
  message,
  exit_code,
  ...said
}: GateResult): NonNullable<Evidence["acceptance"]>[number] {
  const printed = [said["stdout"], said["stderr"]].filter((text) => typeof text === "string" && text !== "").join("\n");
  return {
    gate,
    passed,
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(message === undefined ? {} : { message }),
    ...(printed === "" ? {} : { tail: printed.slice(-mostTail).toWellFormed() }),
  };
}

/** The files that were read, as the session sees them now; one that is gone or is no text has nothing to be found in. */
async function textsOf(
  deps: Pick<FlowDependencies, "readFile">,
  { session_id }: Pick<ExecutionContext, "session_id">,
  reads: Evidence["reads"],
): Promise<readonly ReadText[]> {
  const texts: ReadText[] = [];
  for (const { path } of reads) {
    const file = await deps.readFile(path, session_id);
    const text = file.ok ? decodeText(file.value.bytes) : undefined;
    if (text !== undefined) texts.push({ path, text });
  }
  return texts;
}

function budgetOf(
  { cost, modelCalls }: FlowState["tally"],
  { budget_limits }: ExecutionContext,
): NonNullable<Evidence["budget"]> {
  const { token_limit, turn_limit, usd_limit } = budget_limits;
  return {
    token_limit,
    tokens: (cost.tokens?.input ?? 0) + (cost.tokens?.output ?? 0),
    turn_limit,
    turns: modelCalls,
    usd: cost.usd,
    ...(usd_limit === undefined ? {} : { usd_limit }),
  };
}
