import { type JsonValue, ok, type Result } from "#core/values";
import { hideUnseen } from "../../sandbox/hide-unseen.ts";
import type { TurnLimits } from "../../sandbox/limits.ts";
import type { Connection } from "../../sandbox/network-gate/serve-gate.ts";
import type { PreparedSandbox } from "../../sandbox/prepared.ts";
import { layerWatch } from "../../sandbox/quota.ts";
import { scanLayer } from "../../sandbox/scan-layer.ts";
import type { SandboxFacts } from "../../sandbox/turn-sandbox.ts";
import type { FileView } from "../layer/file-view.ts";
import type { TurnPlan } from "../plan-turn.ts";
import type { Realized } from "../realized.ts";
import type { TurnCall, TurnDeps } from "../turn.ts";
import { giveFolders, giveScratchFiles, turnFolders } from "../turn-folders.ts";
import { type HandlerOutcome, readOutcome, sandboxedRun } from "./command-and-outcome.ts";

/** What a handler did, before anything of it counts. */
export interface Ran {
  readonly outcome: HandlerOutcome;
  readonly realized: Realized;
  readonly given: readonly string[];
  /** The folder that holds the written files. */
  readonly layer: string;
  /** What was written lies in its place already; there is nothing to commit. */
  readonly inPlace: boolean;
  /** What it asked of the gate to the network, if it had one. */
  readonly connections?: readonly Connection[];
}

/** Steps 3 to 5: the sandbox is entered, the handler runs, everything in it dies, and what it wrote is read. */
export async function runSandboxed(
  deps: TurnDeps,
  call: TurnCall,
  plan: TurnPlan,
  options: {
    readonly sandbox: PreparedSandbox;
    readonly facts: SandboxFacts;
    readonly limits: TurnLimits;
    readonly environment: Readonly<Record<string, string>>;
    readonly view: FileView;
  },
): Promise<Result<Ran>> {
  const { root } = deps;
  const { sandbox, limits, view } = options;
  const { slot, identity } = sandbox;
  const handler = call.handler;
  if (handler.kind === "function" || handler.kind === "server") throw new Error("it is not started in a sandbox");
  const sessionId = call.recorder.session_id;
  const owner = identity.kind === "owner" || identity.kind === "shifted" ? identity : null;
  const opened = await sandbox.opened();
  if (!opened.ok) return opened;
  const given = giveFolders(view, slot.upper, sessionId, owner);
  if (!given.ok) return given;
  giveScratchFiles(slot.upper, call, owner);
  const skills = deps.skillSnapshots?.layer(sessionId, plan.visibility, options.facts.home) ?? ok(undefined);
  if (!skills.ok) return skills;
  const hidden = hideUnseen({
    root,
    view,
    mask: slot.mask,
    whiteout: options.facts.whiteout,
    identity,
    visibility: skills.value?.visibility ?? plan.visibility,
    secrets: options.facts.secrets,
  });
  const { command, stdin } = sandboxedRun(handler, {
    root,
    request: call.request as unknown as JsonValue,
    query: (call.request.query ?? null) as JsonValue,
  });
  const outcome = await sandbox.run({
    command,
    stdin,
    env: options.environment,
    ...(skills.value ? { lower: { code: skills.value.tree, workspace: true } } : {}),
    ...(plan.network === "hosts" ? { hosts: plan.hosts } : {}),
    limits,
    signal: call.signal,
    overLimit: layerWatch({
      upper: slot.upper,
      limits,
      quota: sandbox.quota,
      processes: () => sandbox.processes(),
    }),
  });
  if (!outcome.ok) return outcome;
  const realized = scanLayer({
    upper: slot.upper,
    base: view,
    merged: sandbox.mergedView,
    hidden,
    ignored: [turnFolders(sessionId).scratch],
    limits,
  });
  return ok({
    outcome: readOutcome(handler, outcome.value, limits),
    realized,
    given: given.value,
    layer: slot.upper,
    inPlace: false,
    ...(outcome.value.connections ? { connections: outcome.value.connections } : {}),
  });
}
