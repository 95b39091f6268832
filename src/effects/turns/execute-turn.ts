import { join } from "node:path";
import type { EventPayloads, TurnResultV1 } from "#core/contracts";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { canonicalJson, isoTime, noFailpoints, type Result, sha256 } from "#core/values";
import { type ReadableSet, readableSet } from "#governance/mandate";
import { defaultLimits, type TurnLimits } from "../sandbox/limits.ts";
import type { PreparedSandbox } from "../sandbox/prepared.ts";
import { basesSince } from "./commit/base-state.ts";
import { commitTurn } from "./commit/commit-turn.ts";
import { ownerOf } from "./commit/owner-of.ts";
import { compareWrites, comparisonError } from "./compare.ts";
import { type TurnEvidence, writeEvidence } from "./evidence.ts";
import { runFunction } from "./handlers/run-function.ts";
import { runInLayer } from "./handlers/run-in-layer.ts";
import { type Ran, runSandboxed } from "./handlers/run-sandboxed.ts";
import { runServer } from "./handlers/run-server.ts";
import type { Isolation } from "./isolation.ts";
import { inLayer, isolationOf, observedOnly } from "./isolation-of.ts";
import { type FileView, workspaceView } from "./layer/file-view.ts";
import { OrderLayer } from "./layer/order-layer.ts";
import { isNamedByOrder, mayLand, outsideRights } from "./outside-rights.ts";
import { planTurn, type RecordedDecision, type TurnPlan } from "./plan-turn.ts";
import { keepInQuarantine } from "./quarantine/quarantine.ts";
import { whyCode } from "./quarantine/quarantined-code.ts";
import { isInputUnchanged } from "./read-input.ts";
import type { TurnCall, TurnDeps, TurnHandler } from "./turn.ts";
import { turnEnvironment } from "./turn-folders.ts";

const actor = "turns";
/** An event is one line of the log: a turn whose event would not fit is refused before its commit is announced. */
const maxEventBytes = 4 * 2 ** 20;
/** The most writes of a failed turn that its events list; the quarantine holds all of them. */
const maxListedWrites = 1000;

/**
 * One turn, in the seed's nine steps: validate, check capabilities, enter the sandbox, execute, verify writes, record what
 * happened, record the evidence, leave the sandbox, return. Never throws: what goes wrong is in the result.
 *
 *   planned ──► started ──► ran ──► equal ──► committed
 *      │           │         │        └─────► quarantined, failed
 *      └─► failed  └─► (Writ died) aborted at the next open
 */
export async function executeTurn(deps: TurnDeps, call: TurnCall): Promise<TurnResultV1> {
  const turn = new Turn(deps, call);
  try {
    return await turn.run();
  } catch (thrown) {
    return turn.failed(domainError("INTERNAL", `the turn broke Writ itself: ${messageOf(thrown)}`, { cause: thrown }));
  }
}

class Turn {
  readonly #deps: TurnDeps;
  readonly #call: TurnCall;
  readonly #turnId: string;
  readonly #began: number;
  readonly #beganAt: { readonly at: number; readonly commits: number };
  /** The workspace as its order sees it, and where its writes are committed. */
  readonly #view: FileView;
  readonly #evidence: TurnEvidence = {};
  #started = false;
  #ended = false;

  constructor(deps: TurnDeps, call: TurnCall) {
    this.#deps = deps;
    this.#call = call;
    this.#turnId = deps.ids.sortable("TRN");
    this.#began = deps.clock.monotonic();
    this.#view = deps.layers?.viewOf(call.recorder.session_id) ?? workspaceView(deps.root);
    this.#beganAt = { at: deps.clock.now(), commits: this.#view.commits };
    Object.assign(this.#evidence, { turn_id: this.#turnId, handler: recordedKind(call.handler), committed: false });
  }

  async run(): Promise<TurnResultV1> {
    const { root } = this.#deps;
    const planned = planTurn(this.#deps, this.#call, this.#view);
    if (!planned.ok)
      return this.failed(planned.error, "decisions" in planned ? { capabilities: planned.decisions } : {});
    const plan = planned.value;
    const limits: TurnLimits = { ...defaultLimits, ...this.#call.limits };
    const environment = turnEnvironment(root, this.#call, plan.network);
    const { handler } = this.#call;
    const ready = isStartedHere(handler) ? await this.#deps.sandbox.ready() : undefined;
    if (ready && !ready.ok) return this.failed(ready.error);
    if (ready && plan.network === "hosts" && !ready.value.gatedIsolation) return this.failed(withoutGate());
    const isolation: Isolation = ready
      ? isolationOf(ready.value, plan.network)
      : handler.kind === "server"
        ? handler.layer.isolation
        : handler.kind === "function" && handler.layer
          ? inLayer
          : observedOnly;
    Object.assign(this.#evidence, {
      query_hash: plan.queryHash,
      environment_hash: sha256(canonicalJson(environment)),
      inputs: plan.inputs.map((input) => input.recorded),
      isolation,
      capabilities: plan.decisions,
    });

    const sandbox = ready ? this.#deps.sandbox.take({ network: plan.network }) : undefined;
    const turnFolder = this.#deps.store.begin({
      turn_id: this.#turnId,
      turn_number: this.#call.request.turn_number,
      session_id: this.#call.recorder.session_id,
      slot: sandbox?.slot.folder ?? null,
      ...(this.#layer ? { layer: this.#layer.session_id } : {}),
    });
    try {
      this.#failpoint("turn.before_start");
      const started = await this.#call.recorder.append({
        type: "turn.started",
        actor,
        payload: {
          turn_id: this.#turnId,
          turn_number: this.#call.request.turn_number,
          package_id: this.#call.request.package_id,
          ...(this.#call.request.work_order_id ? { work_order_id: this.#call.request.work_order_id } : {}),
          handler: recordedKind(handler),
          handler_hash: plan.handlerHash,
          query_hash: plan.queryHash,
          inputs: plan.inputs.map((input) => input.recorded),
          declared_outputs: [...plan.outputs],
          environment,
          environment_hash: sha256(canonicalJson(environment)),
          isolation,
          capabilities: [...plan.decisions],
          ...(handler.kind === "function" ? {} : { visible: visibleSet(plan, this.#call) }),
        },
      });
      if (!started.ok) return this.failed(started.error);
      this.#started = true;
      this.#failpoint("turn.started");
      const ran: Result<Ran> =
        sandbox && ready
          ? await runSandboxed(this.#deps, this.#call, plan, {
              sandbox,
              facts: ready.value,
              limits,
              environment,
              view: this.#view,
            })
          : handler.kind === "server"
            ? await runServer(handler, { folder: join(turnFolder, "layer"), limits, view: this.#view })
            : handler.kind === "function" && handler.layer
              ? await runInLayer(this.#deps, this.#call, handler, {
                  layer: join(turnFolder, "layer"),
                  limits,
                  view: this.#view,
                })
              : await runFunction(this.#deps, this.#call, plan, limits.timeoutMs);
      if (!ran.ok) return await this.failed(ran.error);
      this.#failpoint("turn.ran");
      return await this.#settle(plan, ran.value, sandbox, turnFolder);
    } finally {
      await sandbox?.drop();
      // An announced commit that is not finished keeps its folder: the next process that opens the workspace finishes it.
      if (this.#ended) this.#deps.store.end(turnFolder);
    }
  }

  /** Steps 5 to 7: compare, then commit or quarantine, and say which. */
  async #settle(
    plan: TurnPlan,
    ran: Ran,
    sandbox: PreparedSandbox | undefined,
    turnFolder: string,
  ): Promise<TurnResultV1> {
    const durationMs = this.#deps.clock.monotonic() - this.#began;
    const { outcome, realized } = ran;
    const writes = this.#call.writes ?? "declared";
    const mayWrite = (path: string) => plan.enforcer.check("write", path) && mayLand(this.#call.mandate, path);
    const comparison =
      writes === "dropped"
        ? { undeclared: [], missing: [] }
        : writes === "within_rights"
          ? { undeclared: outsideRights(ran, mayWrite), missing: [] }
          : compareWrites({ declared: plan.outputs, realized, given: ran.given, mayWrite });
    const resultHash = sha256(canonicalJson(outcome.result));
    const reached = ran.connections ? { connections: [...ran.connections] } : {};
    Object.assign(this.#evidence, { result_hash: resultHash, ...reached });
    const mismatch = comparisonError(comparison, realized);
    const seen = {
      ...reached,
      result_hash: resultHash,
      ...(outcome.exitCode === undefined ? {} : { exit_code: outcome.exitCode }),
      realized: realized.writes
        .filter((write) => !(write.kind === "folder" && ran.given.includes(write.path)))
        .slice(0, maxListedWrites)
        .map(writeEvidence),
    };
    // An undeclared write is the graver error, also when the handler failed.
    const undeclared = mismatch?.code === "UNDECLARED_WRITE" || mismatch?.code === "TURN_LIMIT" ? mismatch : undefined;
    const failure = undeclared ?? outcome.error ?? mismatch;
    if (failure !== undefined) {
      Object.assign(this.#evidence, {
        undeclared: comparison.undeclared.slice(0, maxListedWrites).map(writeEvidence),
        missing: comparison.missing,
      });
      const quarantined = this.#quarantine(ran, plan, failure);
      return this.failed(
        failure,
        { ...seen, missing: comparison.missing.slice(0, maxListedWrites), quarantined },
        outcome.result,
      );
    }

    const kept = realized.writes.filter((write) => write.kind !== "folder" || !isEmptyGift(write.path, ran));
    const outputs = writes === "dropped" ? [] : kept;
    const payload: EventPayloads["turn.committed"] = {
      turn_id: this.#turnId,
      turn_number: this.#call.request.turn_number,
      outputs: outputs.map(writeEvidence),
      result_hash: resultHash,
      ...reached,
      ...(outcome.exitCode === undefined ? {} : { exit_code: outcome.exitCode }),
      duration_ms: Math.round(durationMs),
      ...(writes === "dropped" ? { dropped: kept.length } : {}),
      ...(outputs.length > 0
        ? { landing: this.#layer?.session_id === this.#call.recorder.session_id ? "whole" : "each_turn" }
        : {}),
    };
    const bytes = Buffer.byteLength(JSON.stringify(payload));
    if (bytes > maxEventBytes)
      return this.failed(
        domainError(
          "TURN_LIMIT",
          `the list of what the turn wrote takes ${bytes} bytes, and ${maxEventBytes} is the limit; split the turn`,
        ),
        { ...seen, realized: seen.realized.slice(0, maxListedWrites) },
        outcome.result,
      );
    const identity = sandbox?.identity;
    const committed = await commitTurn({
      into: this.#view,
      store: this.#deps.store,
      recorder: this.#call.recorder,
      turnFolder,
      turnId: this.#turnId,
      from: (path) => join(ran.layer, path),
      writes: ran.inPlace ? [] : outputs,
      owner: identity?.kind === "owner" ? { uid: identity.uid, gid: identity.gid } : ownerOf(this.#deps.root),
      bases: writes === "within_rights" ? basesSince(this.#view, this.#beganAt) : plan.bases,
      conflict: () => {
        const changed = plan.inputs.find(
          (input) =>
            !isInputUnchanged(this.#view, input) &&
            !(ran.inPlace && outputs.some((each) => each.path === input.recorded.path)),
        );
        return changed && `the input ${changed.recorded.path} was changed by someone else`;
      },
      event: { type: "turn.committed", payload },
      actor,
      failpoint: this.#deps.failpoint ?? noFailpoints,
    });
    if (!committed.ok) {
      if (committed.error.details["promised"] === true) return this.#answer(outcome.result, committed.error);
      return this.failed(committed.error, seen, outcome.result);
    }
    Object.assign(this.#evidence, { outputs: payload.outputs, committed: true });
    return this.#answer(outcome.result, null);
  }

  get #layer(): OrderLayer | undefined {
    return this.#view instanceof OrderLayer ? this.#view : undefined;
  }

  #quarantine(ran: Ran, plan: TurnPlan, failure: DomainError): boolean {
    const writes = ran.realized.writes.filter((write) => !(write.kind === "folder" && ran.given.includes(write.path)));
    if (this.#call.handler.kind === "function" || writes.length === 0) return false;
    const bytes = writes.reduce((sum, write) => sum + (write.kind === "write" ? write.size : 0), 0);
    const isGranted = (path: string) => plan.enforcer.check("write", path) && isNamedByOrder(this.#call.mandate, path);
    const code = writes.map(({ path }) => path).filter((path) => whyCode(path, this.#deps.named) !== undefined);
    keepInQuarantine(this.#deps.store.quarantine, ran.layer, {
      turn_id: this.#turnId,
      turn_number: this.#call.request.turn_number,
      session_id: this.#call.recorder.session_id,
      package_id: this.#call.request.package_id,
      at: isoTime(this.#deps.clock.now()),
      code: failure.code,
      message: failure.message,
      declared: plan.outputs.map((each) => each.path),
      writes,
      bytes,
      code_granted: code.filter(isGranted),
    });
    this.#failpoint("turn.quarantined");
    const staged = this.#call.recorder.stage({
      type: "turn.quarantined",
      actor,
      payload: {
        turn_id: this.#turnId,
        turn_number: this.#call.request.turn_number,
        action: "kept",
        code: failure.code,
        outputs: writes.slice(0, maxListedWrites).map(writeEvidence),
        bytes,
      },
    });
    Object.assign(this.#evidence, { quarantine_id: this.#turnId });
    return staged.ok;
  }

  /** Records the failure and answers it. A turn that was refused before it started is recorded too. */
  async failed(
    error: DomainError,
    more: Record<string, unknown> = {},
    result: TurnResultV1["result"] = null,
  ): Promise<TurnResultV1> {
    if (more["capabilities"])
      Object.assign(this.#evidence, { capabilities: more["capabilities"] as readonly RecordedDecision[] });
    const recorded = await this.#call.recorder.append({
      type: "turn.failed",
      actor,
      payload: JSON.parse(
        JSON.stringify({
          turn_id: this.#turnId,
          turn_number: this.#call.request.turn_number ?? 0,
          code: error.code,
          message: error.message,
          ...(this.#started
            ? { duration_ms: Math.round(this.#deps.clock.monotonic() - this.#began) }
            : { package_id: this.#call.request.package_id }),
          ...more,
        }),
      ),
    });
    this.#ended = recorded.ok;
    return this.#answer(result, recorded.ok ? error : recorded.error);
  }

  #answer(result: TurnResultV1["result"], error: DomainError | null): TurnResultV1 {
    return {
      status: error ? "error" : "ok",
      result: result ?? null,
      evidence: this.#evidence,
      error: error && {
        code: error.code,
        message: error.message,
        retryable: error.retryable,
        details: JSON.parse(JSON.stringify(error.details)),
      },
      session_id: this.#call.recorder.session_id,
      turn_number: this.#call.request.turn_number,
      duration_ms: Math.round(this.#deps.clock.monotonic() - this.#began),
    };
  }

  #failpoint(name: string): void {
    this.#deps.failpoint?.(name);
  }
}

/** In a sandbox that is taken for this turn and ends with it. */
function isStartedHere({ kind }: TurnHandler): boolean {
  return kind === "command" || kind === "module";
}

/** A server is a program; the turn's events know no other word for it. */
function recordedKind({ kind }: TurnHandler): "command" | "module" | "function" {
  return kind === "server" ? "command" : kind;
}

/** What a program could see, without looking at a file: the order's patterns and the package's. */
function visibleSet({ enforcer }: TurnPlan, { mandate }: TurnCall): ReadableSet {
  const { read, forbidden, within } = mandate?.document ?? { read: [], forbidden: [] };
  const own = { document: "package", path: "capabilities" };
  return readableSet({
    read: [...read, { document: own.document, lists: [{ path: own.path, patterns: [...enforcer.visible.read] }] }],
    forbidden: [...forbidden, { ...own, patterns: [...enforcer.visible.forbidden] }],
    ...(within === undefined ? {} : { within }),
  });
}

function withoutGate(): DomainError {
  return domainError(
    "SANDBOX_UNAVAILABLE",
    'the package names hosts, and the gate that leads to them needs perl and bubblewrap; install them, or grant the package "*" or nothing',
  );
}

/** A folder that Writ made for the turn and that holds no output is not kept. */
function isEmptyGift(folder: string, ran: Ran): boolean {
  return (
    ran.given.includes(folder) &&
    !ran.realized.writes.some((write) => write.kind === "write" && write.path.startsWith(`${folder}/`))
  );
}
