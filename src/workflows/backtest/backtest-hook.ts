import type { SchemaRegistry } from "#core/contracts";
import { type Clock, canonicalJson, isJsonObject, type JsonObject, keyedSha256, sha256 } from "#core/values";
import { askAgain, type HookHandler, type RecordedFiring } from "#governance";
import type { Event } from "#log";
import { type InputSources, possibleInputs, possibleOutputs } from "./recorded-inputs.ts";

/** A firing that would have ended otherwise, or at which the hook itself would have said something else. */
export interface HookDifference {
  readonly seq: number;
  readonly ts: string;
  readonly point: string;
  readonly hook: string;
  /** A tool, a skill, a cycle; null where there is none. */
  readonly subject: string | null;
  /** Which call it was, and the hash of the arguments that were judged. */
  readonly call_id: string | null;
  readonly args_hash: string | null;
  /** What all hooks came to, and who decided. */
  readonly recorded: Verdict;
  readonly now: Verdict;
  /** What the hook of this name said; null: it was not asked. */
  readonly own: { readonly recorded: Opinion | null; readonly now: Opinion | null };
  readonly change: "stricter" | "looser" | "other";
  /** Who was not asked then and might object now. */
  readonly unasked: readonly string[];
  /** `exact`: the input is proven by its hash. `rebuilt`: the tool is not known here, so its annotations are missing. */
  readonly input: "exact" | "rebuilt";
}

interface Verdict {
  readonly decision: string;
  readonly reason: string;
  readonly by: string;
}

interface Opinion {
  readonly decision: string;
  readonly reason: string;
}

export interface BacktestedHook {
  readonly decisions: number;
  readonly different: readonly HookDifference[];
  /** What could not be judged again, and why. */
  readonly unjudged: readonly { readonly seq: number; readonly why: string }[];
}

export interface HookBacktest {
  readonly handler: HookHandler;
  /** Those that are asked before it where it is new. */
  readonly earlier: readonly string[];
  readonly sources: InputSources;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly root: string;
  /** What input hashes are keyed with; without it no input can be proven, and nothing is judged. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

/** Asks one hook about every recorded firing of its point. Nothing but the hook runs, within its usual limits. */
export async function backtestHook(events: readonly Event[], backtest: HookBacktest): Promise<BacktestedHook> {
  const { handler } = backtest;
  const different: HookDifference[] = [];
  const unjudged: { readonly seq: number; readonly why: string }[] = [];
  let decisions = 0;
  for (const [at, event] of events.entries()) {
    if (event.type !== "hook.fired" || backtest.signal.aborted) continue;
    const { seq, ts, session_id, payload: firing } = event;
    if (firing.point !== handler.point) continue;
    const own = firing.handlers.findIndex(({ id }) => id === handler.id);
    const after = own >= 0 ? own : firing.handlers.filter(({ id }) => backtest.earlier.includes(id)).length;
    const given = inputOf(events, { at, firing, after }, backtest);
    if ("why" in given) {
      unjudged.push({ seq, why: given.why });
      continue;
    }
    const asked = await askAgain(
      handler,
      {
        firing,
        after,
        payload: given.payload,
        session_id,
        cwd: backtest.root,
        canAsk: firing.point === "PreToolUse",
      },
      backtest,
    );
    const { answer, outcome, unasked } = asked;
    const before = firing.handlers[own];
    if (answer || before) decisions += 1;
    const said = {
      recorded: before ? { decision: before.decision, reason: before.reason } : null,
      now: answer ? { decision: answer.decision, reason: answer.reason } : null,
    };
    const isSame =
      outcome.decision === firing.decision && (!before || before.decision === (answer?.decision ?? "none"));
    // Two transforms of one hook are the same when they make the same.
    const changed =
      isSame && answer?.decision === "transform" && firing.handlers.filter(isTransform).length === 1 && before
        ? sha256(canonicalJson(answer.output ?? null)) !== firing.output_hash
        : false;
    if (isSame && !changed) continue;
    different.push({
      seq,
      ts,
      point: firing.point,
      hook: handler.id,
      subject: firing.subject ?? null,
      call_id: textOf(given.payload["call_id"]),
      args_hash: isJsonObject(given.payload["args"]) ? sha256(canonicalJson(given.payload["args"])) : null,
      recorded: { decision: firing.decision, reason: firing.reason, by: firing.handler },
      now: { decision: outcome.decision, reason: outcome.reason, by: outcome.decidedBy },
      own: said,
      change: changeOf(firing.decision, outcome.decision),
      unasked,
      input: given.input,
    });
  }
  return { decisions, different, unjudged };
}

type Given = { readonly payload: JsonObject; readonly input: "exact" | "rebuilt" } | { readonly why: string };

/** A firing in the record, and how many of its handlers answered before the one that is asked again. */
interface FiringAt {
  readonly at: number;
  readonly firing: RecordedFiring;
  readonly after: number;
}

function inputOf(events: readonly Event[], { at, firing, after }: FiringAt, { key, sources }: HookBacktest): Given {
  const transforms = firing.handlers.slice(0, after).filter(isTransform);
  const output =
    transforms.length === 1
      ? possibleOutputs(at, events).find((each) => sha256(canonicalJson(each)) === firing.output_hash)
      : undefined;
  // A prompt is all that its hook is given, so what the one before made of it is proven by itself.
  if (firing.point === "UserPromptSubmit" && isJsonObject(output)) return { payload: output, input: "exact" };
  const possible = possibleInputs(at, events, sources);
  const [nearest] = possible;
  if (!nearest) return { why: `what ${firing.point} was given is not in the record` };
  const { input_hash } = firing;
  const exact =
    key === undefined || input_hash === undefined
      ? undefined
      : possible.find((payload) => keyedSha256(key, canonicalJson(payload)) === input_hash);
  if (key === undefined) return { why: "the workspace's key is not here, and without it no input can be proven" };
  const isUnknownTool =
    firing.point === "PreToolUse" && sources.annotationsOf(firing.subject ?? "") === undefined && !exact;
  if (!exact && !isUnknownTool)
    return { why: `what ${firing.point} was given is not in the record as it was: it was changed or covered before` };
  const payload = exact ?? nearest;
  const input = exact ? "exact" : "rebuilt";
  if (transforms.length === 0) return { payload, input };
  if (output === undefined)
    return {
      why: `${transforms.map(({ id }) => id).join(", ")} changed it first, and what came of that is not in the record`,
    };
  return { payload: { ...payload, [firing.point === "PreToolUse" ? "args" : "result"]: output }, input };
}

function isTransform({ decision }: RecordedFiring["handlers"][number]): boolean {
  return decision === "transform";
}

const strictness = ["allow", "transform", "ask", "deny"];

function changeOf(before: string, now: string): HookDifference["change"] {
  const step = strictness.indexOf(now) - strictness.indexOf(before);
  return step === 0 ? "other" : step > 0 ? "stricter" : "looser";
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
