import { createBudgeter } from "#agents";
import { type SchemaRegistry, shippedRegistry } from "#core/contracts";
import type { Canary, CanaryResult } from "#core/shapes";
import { type Caller, type Clock, canonicalJson, createIds, ok, type Random, type Result, sha256 } from "#core/values";
import { createTurnSandbox, toolCall } from "#effects";
import { createHooks, type HookHandler, type Hooks, hookPoints, pointSpecs } from "#governance";
import { createMandate } from "#governance/mandate";
import { forgetfulRecorder, type Recorder } from "#log";
import { createInbox } from "#people";
import { openSharedStore } from "../store/sqlite-shared-store.ts";
import { brokenMandate } from "./broken-mandate.ts";

type TurnSandboxTier = NonNullable<Parameters<typeof createTurnSandbox>[0]["minimumTier"]>;

export interface CanarySurroundings {
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly minimumTier: TurnSandboxTier;
  /** The parts that are tried; a test hands in broken ones. */
  readonly parts?: Partial<TriedParts>;
}

export interface TriedParts {
  readonly hooks: (handlers: readonly HookHandler[]) => Pick<Hooks, "fire">;
  readonly schemas: Pick<SchemaRegistry, "validate">;
  readonly budgeter: ReturnType<typeof createBudgeter>;
  readonly createInbox: typeof createInbox;
  readonly createMandate: typeof createMandate;
  readonly sandbox: Pick<ReturnType<typeof createTurnSandbox>, "ready" | "probes" | "close">;
}

/** Every gate that can be tried without doing harm. */
export function canaries(around: CanarySurroundings): readonly Canary[] {
  const { clock, random, root, minimumTier, parts = {} } = around;
  const ids = createIds(clock, random);
  const recorder = forgetfulRecorder({ clock, ids });
  const schemas = parts.schemas ?? shippedRegistry();
  return [
    {
      id: "hook.hangs",
      title: "a hook that hangs",
      attempt: () =>
        hangingHook(
          parts.hooks ?? ((handlers) => createHooks({ handlers, schemas: shippedRegistry(), clock })),
          recorder,
        ),
    },
    { id: "schema.junk", title: "a contract that is handed junk", attempt: async () => junk(schemas) },
    {
      id: "budget.overspend",
      title: "a budget that is asked for more than it has",
      attempt: () => overspend(parts.budgeter ?? createBudgeter({ ids }), recorder),
    },
    {
      id: "approval.other",
      title: "an approval of other arguments, and one by the author",
      attempt: () => otherArguments(parts.createInbox ?? createInbox, clock),
    },
    {
      id: "mandate.breach",
      title: "acts outside a work order",
      attempt: async () => brokenMandate(parts.createMandate ?? createMandate),
    },
    {
      id: "sandbox.leaks",
      title: "a sandbox that is told to leak",
      attempt: () => leak(parts.sandbox ?? createTurnSandbox({ root, clock, random, minimumTier })),
    },
  ];
}

/** At every point: what a handler leaves open, the point must refuse. */
async function hangingHook(make: TriedParts["hooks"], recorder: Recorder): Promise<CanaryResult> {
  const handlers = hookPoints.map((point) => ({
    id: "canary",
    point,
    priority: 0,
    timeoutMs: 50,
    kind: "function" as const,
    source: "canary",
    hash: sha256("canary"),
    run: () => new Promise(() => undefined),
  }));
  const hooks = make(handlers);
  const fired = await Promise.all(hookPoints.map((point) => hooks.fire(point, pointSpecs[point].canary, { recorder })));
  const decisions = fired.map((each) => (each.ok ? each.value.decision : each.error.code));
  const open = fired.find((each) => each.ok && each.value.decision !== "deny");
  if (open?.ok) return { held: false, detail: `silence was taken for ${open.value.decision}` };
  return { held: true, detail: `silence was taken for ${[...new Set(decisions)].join(", ")}` };
}

function junk(schemas: Pick<SchemaRegistry, "validate">): CanaryResult {
  const attempts: readonly (readonly [string, unknown])[] = [
    ["work_order_v1", { work_order_id: 7, junk: true }],
    ["event_v1", { type: "tool.invoke" }],
    ["tool.invoke_v1", { args: "not an object" }],
    ["hook_decision_v1", { decision: "perhaps" }],
    ["approval_decision_v1", { choice: "approve", subject_hash: "short" }],
    ["no_such_contract_v1", {}],
  ];
  const passed = attempts.filter(([id, value]) => schemas.validate(id, value).ok).map(([id]) => id);
  return {
    held: passed.length === 0,
    detail: passed.length === 0 ? `${attempts.length} refused` : `${passed.join(", ")} took it`,
  };
}

async function overspend(budgeter: TriedParts["budgeter"], recorder: Recorder): Promise<CanaryResult> {
  const scope = { session_id: recorder.session_id, work_order_id: "WO-CANARY", agent_id: "AGT-CANARY" };
  const limits = { token_limit: 10, turn_limit: 1, timeout_seconds: 60 };
  const allocated = await budgeter.allocate(scope, limits, { recorder });
  if (!allocated.ok) return { held: true, detail: `refused: ${allocated.error.code}` };
  const ask = { model: "canary", price: undefined, input_tokens: 11, output_wanted: 1, output_least: 1 };
  const reserved = await budgeter.reserve(scope, ask, { recorder });
  return { held: !reserved.ok, detail: reserved.ok ? "12 of 10 tokens were given" : `refused: ${reserved.error.code}` };
}

const named = { call_id: "canary", tool: "canary", tool_hash: "canary", role: "canary", work_order_id: "WO-CANARY" };

async function otherArguments(make: typeof createInbox, clock: Clock): Promise<CanaryResult> {
  const store = openSharedStore(":memory:", clock);
  if (!store.ok) return { held: false, detail: store.error.message };
  try {
    const record = async (): Promise<Result<void>> => ok(undefined);
    const inbox = make({
      store: store.value,
      clock,
      expiresInMs: 60_000,
      self: "never",
      record,
      redact: (given) => given,
    });
    const put = await inbox.ask(
      toolCall,
      { ...named, args: { amount: 1 }, attempt: 1, reason: "canary" },
      { author: "author", session: null },
    );
    const asked = put.ok ? await inbox.find(put.value.approval_id) : put;
    if (!asked.ok) return { held: true, detail: `refused: ${asked.error.code}` };
    const who = (id: string): Caller => ({ id, roles: [], grants: ["approve"], authenticatedBy: "api_key" });
    const { approval_id, subject_hash } = asked.value;
    const other = await inbox.decide(who("somebody"), approval_id, {
      choice: "approve",
      subject_hash: sha256(canonicalJson({ ...asked.value.subject, args: { amount: 1_000_000 } })),
      reason: "",
    });
    if (other.ok) return { held: false, detail: "an approval of other arguments was taken" };
    const own = await inbox.decide(who("author"), approval_id, { choice: "approve", subject_hash, reason: "" });
    return { held: !own.ok, detail: own.ok ? "the author approved" : "both refused" };
  } finally {
    await store.value.close();
  }
}

/** A sandbox that cannot be built runs nothing, which is shut; one that is built must hold against every attempt. */
async function leak(sandbox: TriedParts["sandbox"]): Promise<CanaryResult> {
  try {
    const ready = await sandbox.ready();
    if (!ready.ok) return { held: true, detail: `turns are refused: ${ready.error.message}` };
    const probes = await sandbox.probes();
    const leaked = probes.filter(({ held }) => !held);
    return {
      held: leaked.length === 0 && probes.length > 0,
      detail:
        leaked.length === 0 ? `${probes.length} escapes held` : `${leaked.map(({ name }) => name).join(", ")} got out`,
    };
  } finally {
    await sandbox.close();
  }
}
