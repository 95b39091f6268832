import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import {
  type Clock,
  canonicalJson,
  err,
  isJsonObject,
  type JsonObject,
  keyedSha256,
  ok,
  type Result,
  sha256,
} from "#core/values";
import type { EventInput, Recorder } from "#log";
import type { Ask } from "#people";
import { type Answer, Fault } from "./answer.ts";
import { askHandler } from "./ask-handler.ts";
import { askHeldStep } from "./ask-held-step.ts";
import { copyJson } from "./copy-json.ts";
import type { HookHandler, HookInfo, HookOutcome } from "./hook-handler.ts";
import type { HookInput, HookPoint } from "./hook-point.ts";
import { asksEveryHandler, hookPoints, pointSpecs, transformed } from "./hook-points.ts";
import { compileMatcher, type Matcher } from "./matcher.ts";
import { mergeAnswers } from "./merge-answers.ts";

export interface FireContext {
  readonly recorder: Recorder;
  readonly signal?: AbortSignal;
  /** Where programs start; the workspace when absent. */
  readonly cwd?: string;
  /** The persona of a cycle whose call it is about. */
  readonly persona?: string;
  /** Whether the caller takes an `ask` and asks a person itself. Absent: `ask` denies. */
  readonly canAsk?: boolean;
  /** Asks a person, so that the caller sees what they decided and never an `ask`. */
  readonly ask?: Ask;
}

export interface Hooks {
  /** Asks every handler that matches, records `hook.fired` (staged: durable with the caller's next append) and gives the outcome. */
  fire(point: HookPoint, input: HookInput, context: FireContext): Promise<Result<HookOutcome>>;
  /** By point, and within a point in the order in which they are asked. */
  list(): readonly HookInfo[];
  /** Whether code of the workspace is asked at one of these points, or at any: it may act, so what led there is on disk before. */
  mayAct(points?: readonly HookPoint[]): boolean;
}

export interface HooksOptions {
  readonly handlers: readonly HookHandler[];
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  /** Keys `input_hash`, so that a card number cannot be guessed back from it. Without a key the hash is left out. */
  readonly key?: string | Uint8Array;
  /** Whether a session is one that a hook ordered: hooks of settings files are asked about its calls alone. */
  readonly isOrdered?: (session_id: string) => boolean;
}

interface Registered {
  readonly handler: HookHandler;
  readonly matches: Matcher;
}

/** Registers the handlers. One whose matcher cannot be read is asked about everything and denies: a gate never opens by a typo. */
export function createHooks(options: HooksOptions): Hooks {
  const { schemas, clock, key } = options;
  const registered: Registered[] = [];
  for (const given of options.handlers) {
    const matcher = compileMatcher(given.matcher);
    const twins = registered.filter(
      ({ handler }) => handler.point === given.point && handler.id.replace(/#\d+$/, "") === given.id,
    ).length;
    const handler = twins === 0 ? given : renamed(given, `${given.id}#${twins + 1}`);
    registered.push(
      matcher.ok
        ? { handler, matches: matcher.value }
        : { handler: closed(handler, matcher.error.message), matches: () => true },
    );
  }
  registered.sort((a, b) => b.handler.priority - a.handler.priority); // stable: equals keep their order
  const byPoint = new Map(
    hookPoints.map((point) => [point, registered.filter(({ handler }) => handler.point === point)]),
  );

  return {
    mayAct: (points = hookPoints) =>
      points.some((point) => byPoint.get(point)?.some(({ handler }) => handler.shipped !== true)),
    list: () => hookPoints.flatMap((point) => byPoint.get(point) ?? []).map(({ handler }) => infoOf(handler)),
    async fire(point, input, context) {
      const started = clock.monotonic();
      const copied = copyJson(input.payload, Number.POSITIVE_INFINITY);
      if (!copied.ok) return err(domainError("MALFORMED_INPUT", `the input of ${point} ${copied.error.message}`));
      const payload = copied.value as JsonObject;
      const input_hash = key === undefined ? undefined : keyedSha256(key, canonicalJson(payload));
      const before = context.recorder.past?.takeFiring({ point, subject: input.subject, input_hash });
      // What a gate decided stands. Only what it made of its input is not in the log, so for that it is asked again.
      const held = { point, payload, ...(input.subject === undefined ? {} : { subject: input.subject }) };
      if (before && before.payload.output_hash === undefined)
        return askHeldStep(held, outcomeOf(before.payload), context.ask);
      const isOwn = options.isOrdered?.(context.recorder.session_id) ?? false;
      const concerned = (byPoint.get(point) ?? [])
        .filter(({ matches, handler }) => matches(input.subject) && !(isOwn && isOfPeople(handler)))
        .map(({ handler }) => handler);
      const answers = await askInTurn({ point, payload, context }, concerned, { schemas, clock });
      // Canceled before a decision: recorded as a denial, it would stand when the session is resumed.
      if (context.signal?.aborted && answers.some(({ fault }) => fault === "canceled"))
        return err(domainError("CANCELED", `the work was canceled while hooks were asked at ${point}`));
      const outcome = mergeAnswers(point, answers);
      if (before) {
        const same = outcome.output === undefined ? diverged(point) : sameAs(before.payload, outcome);
        return same.ok ? askHeldStep(held, same.value, context.ask) : same;
      }
      const fired: EventInput<"hook.fired"> = {
        type: "hook.fired",
        actor: "hooks",
        payload: {
          point,
          handler: outcome.decidedBy,
          decision: outcome.decision,
          reason: outcome.reason,
          duration_ms: Math.max(0, Math.round((clock.monotonic() - started) * 1000) / 1000),
          ...(input.subject === undefined ? {} : { subject: input.subject }),
          ...(input_hash === undefined ? {} : { input_hash }),
          ...(outcome.output === undefined ? {} : { output_hash: sha256(canonicalJson(outcome.output)) }),
          ...contextOf(answers),
          handlers: answers.map(entry),
          ...(answers.length < concerned.length
            ? { not_asked: concerned.slice(answers.length).map(({ id }) => id) }
            : {}),
        },
      };
      const recorded = context.recorder.stage(fired);
      // The log may have redacted the reason: callers go on with what was recorded.
      if (!recorded.ok) return recorded;
      const { reason, context: hookNotes } = recorded.value.payload;
      return askHeldStep(held, { ...outcome, reason, ...(hookNotes ? { context: hookNotes } : {}) }, context.ask);
    },
  };
}

type Fired = EventInput<"hook.fired">["payload"];

function outcomeOf({ decision, reason, handler, context }: Fired): HookOutcome {
  return { decision, reason, decidedBy: handler, ...(context ? { context } : {}) };
}

/** What a handler says beside a denial is left out. */
function contextOf(answers: readonly Answer[]): Pick<Fired, "context"> {
  const hookNotes = answers.flatMap(({ handler, context }) =>
    context ? [{ handler: handler.id, text: context }] : [],
  );
  return hookNotes.length === 0 ? {} : { context: hookNotes };
}

function sameAs(before: Fired, now: HookOutcome): Result<HookOutcome> {
  const same = now.decision === before.decision && sha256(canonicalJson(now.output ?? null)) === before.output_hash;
  return same
    ? ok({ ...now, reason: before.reason, ...(before.context ? { context: before.context } : {}) })
    : diverged(before.point);
}

function diverged(point: string): Result<never> {
  return err(
    domainError(
      "REPLAY_DIVERGED",
      `${point} changed its input before, and now makes something else of it: the session cannot go on as it began`,
      { details: { point } },
    ),
  );
}

/** One firing of a point, with the input that its first handler gets. */
interface Firing {
  readonly point: HookPoint;
  readonly payload: JsonObject;
  readonly context: FireContext;
}

/** One after the other, since each sees what the one before it made of the input. */
async function askInTurn(
  { point, payload, context }: Firing,
  handlers: readonly HookHandler[],
  deps: Pick<HooksOptions, "schemas" | "clock">,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const { cwd, persona } = context;
  const session_id = context.recorder.session_id;
  const about = Object.freeze({ point, session_id, cwd, ...(persona === undefined ? {} : { persona }) });
  const asking = { schemas: deps.schemas, clock: deps.clock, canAsk: canAskAt(point, context), signal: context.signal };
  let current = payload;
  for (const handler of handlers) {
    const answer = await askHandler(handler, current, about, asking);
    answers.push(answer);
    if (answer.decision === "deny" && !asksEveryHandler(point)) break;
    if (answer.output !== undefined) {
      const next = transformed(point, current, answer.output);
      if (next.ok && isJsonObject(next.value)) current = Object.freeze(next.value);
    }
  }
  return answers;
}

function canAskAt(point: HookPoint, { canAsk = false, ask }: FireContext): boolean {
  return pointSpecs[point].mayAsk && (canAsk || ask !== undefined);
}

function entry(answer: Answer): EventInput<"hook.fired">["payload"]["handlers"][number] {
  const { handler, decision, reason, durationMs, fault, tier, sessions } = answer;
  // Written out: spreading took a fifth of a firing's time.
  const said = { id: handler.id, kind: handler.kind, hash: handler.hash, decision, reason, duration_ms: durationMs };
  if (fault === undefined && tier === undefined && sessions === undefined) return said;
  return {
    ...said,
    ...(fault === undefined ? {} : { fault }),
    ...(tier === undefined ? {} : { tier }),
    ...(sessions === undefined ? {} : { sessions: [...sessions] }),
  };
}

/** Its prompt, its end and its beginning are no person's: the hooks of settings files there are about those. */
function isOfPeople({ event, point }: HookHandler): boolean {
  return event !== undefined && pointSpecs[point].claudeCode.shows === null;
}

function infoOf({ run: _, prepare: __, program: ___, ...info }: HookHandler): HookInfo {
  return info;
}

function renamed(handler: HookHandler, id: string): HookHandler {
  return { ...handler, id, run: (input, signal, about) => handler.run(input, signal, about) };
}

function closed(handler: HookHandler, why: string): HookHandler {
  return { ...handler, run: () => Promise.resolve(new Fault("bad_matcher", `cannot be asked: ${why}`)) };
}
