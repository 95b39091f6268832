import type { TurnStartedEventV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { canonicalJson, ok, type Result, type Sha256, sha256 } from "#core/values";
import { type Mandate, withAbove } from "#governance/mandate";
import type { Visibility } from "../sandbox/hide-unseen.ts";
import { type HostRule, readHostRules } from "../sandbox/network-gate/host-rules.ts";
import type { Network } from "../sandbox/network-gate/network.ts";
import type { CapabilityDecision } from "./capability/capabilities.ts";
import { type CapabilityEnforcer, createCapabilityEnforcer } from "./capability/enforcer.ts";
import { type BaseState, type Bases, readBases } from "./commit/base-state.ts";
import type { DeclaredOutput } from "./compare.ts";
import type { FileView } from "./layer/file-view.ts";
import { type InputEvidence, readInput } from "./read-input.ts";
import type { TurnCall, TurnDeps } from "./turn.ts";
import { turnFolders } from "./turn-folders.ts";
import { visibleToBoth } from "./visibility.ts";

export type RecordedDecision = TurnStartedEventV1["capabilities"][number];

/** All decisions about a turn before anything runs. */
export interface TurnPlan {
  readonly enforcer: CapabilityEnforcer;
  /** What the turn sees of the workspace. */
  readonly visibility: Visibility;
  readonly inputs: readonly InputEvidence[];
  readonly outputs: readonly DeclaredOutput[];
  /** State of each declared output before the turn. */
  readonly bases: Bases;
  readonly decisions: readonly RecordedDecision[];
  readonly queryHash: Sha256;
  readonly handlerHash: Sha256;
  readonly network: Network;
  /** Hosts that may be reached, when the network is limited to named hosts. */
  readonly hosts: readonly HostRule[];
}

/** A turn as it is judged: nothing of it is recorded yet. */
type PlannedCall = Omit<TurnCall, "recorder"> & { readonly recorder: Pick<TurnCall["recorder"], "session_id"> };

/** Steps 1 and 2 of a turn: is it well-formed, and is each thing it declares within its rights? */
export function planTurn(
  deps: Pick<TurnDeps, "root" | "schemas" | "named">,
  call: PlannedCall,
  view: FileView,
):
  | Result<TurnPlan>
  | { readonly ok: false; readonly error: DomainError; readonly decisions: readonly RecordedDecision[] } {
  const { root } = deps;
  const sessionId = call.recorder.session_id;
  const checked = deps.schemas.validate("turn_request_v1", call.request);
  if (!checked.ok) return checked;
  const enforcer = createCapabilityEnforcer({
    capabilities: call.capabilities,
    sessionId,
    root,
    ordered: call.mandate !== undefined,
    ...(deps.named ? { named: deps.named } : {}),
  });
  if (!enforcer.ok) return enforcer;
  const decisions: RecordedDecision[] = [];
  let refusal: DomainError | undefined;
  const judge = (decision: CapabilityDecision, kind: "write" | "delete" = "write"): string | undefined => {
    const also = decision.allowed ? whyOutsideMandate(call, decision, kind) : undefined;
    const allowed = decision.allowed && also === undefined;
    const reason = also ?? decision.reason;
    decisions.push({ operation: decision.operation, subject: decision.asked, allowed, rule: reason });
    if (!allowed)
      refusal ??= domainError(
        "CAPABILITY_VIOLATION",
        `the turn may not ${decision.operation} ${JSON.stringify(decision.asked)}: ${reason}`,
        {
          details: {
            operation: decision.operation,
            path: decision.asked,
            rule: also === undefined ? decision.rule : { kind: "not_granted" },
          },
        },
      );
    return allowed ? (decision.path ?? undefined) : undefined;
  };

  const { scratch } = turnFolders(sessionId);
  const inputPaths = call.request.declared_inputs.map(({ path }) => judge(enforcer.value.explain("read", path)));
  const outputs: DeclaredOutput[] = [];
  const seen = new Set<string>();
  const expectations = new Map<string, string>();
  for (const { path: asked, action, expected_hash } of call.request.declared_outputs) {
    const path = judge(enforcer.value.explain("write", asked), action ?? "write");
    if (path === undefined) continue;
    if (path === scratch || path.startsWith(`${scratch}/`))
      refusal ??= domainError(
        "CAPABILITY_VIOLATION",
        `${asked} lies in the turn's scratch, which is dropped after it; declare outputs elsewhere`,
        { details: { path: asked } },
      );
    const folder = asked.endsWith("/");
    // A folder may be declared as written and as cleared: a program that fills it anew does both.
    const key = folder ? `${action ?? "write"} ${path}/` : path;
    if (seen.has(key))
      refusal ??= domainError("MALFORMED_INPUT", `${asked} is declared twice`, { details: { path: asked } });
    seen.add(key);
    if (expected_hash !== undefined) expectations.set(path, expected_hash);
    outputs.push({ path, folder, action: action ?? "write" });
  }
  if (call.handler.kind === "command") judge(enforcer.value.explainCommand(call.handler.command));
  if (call.handler.kind === "module") judge(enforcer.value.explainCommand([`./${call.handler.module}`]));
  const network = judgeNetwork(enforcer.value, decisions, call);
  if (!network.ok) refusal ??= network.error;
  if (refusal !== undefined) return { ok: false, error: refusal, decisions };

  const inputs: InputEvidence[] = [];
  for (const path of inputPaths) {
    if (path === undefined) continue;
    const input = readInput(view, path);
    if (!input.ok) return { ok: false, error: input.error, decisions };
    inputs.push(input.value);
  }
  const bases = readBases(view, outputs);
  for (const [path, expected] of expectations) {
    const unexpected = whyUnexpected(path, expected, bases.of(path));
    if (unexpected) return { ok: false, error: unexpected, decisions };
  }
  return ok({
    enforcer: enforcer.value,
    visibility: visibleToBoth(enforcer.value, call.mandate),
    inputs,
    outputs,
    bases,
    decisions,
    queryHash: sha256(canonicalJson(call.request.query ?? null)),
    handlerHash: sha256(canonicalJson(describeHandler(call))),
    ...(network.ok ? network.value : { network: "none", hosts: [] }),
  });
}

/** Why the order's mandate does not let a turn do what its package may. */
function whyOutsideMandate(
  { mandate, handler }: PlannedCall,
  { operation, path, asked }: CapabilityDecision,
  kind: "write" | "delete",
): string | undefined {
  if (!mandate || path === null) return undefined;
  // Of a folder each file is judged when it has been written; here only whether any could be.
  if (operation === "write" && asked.endsWith("/")) return whyNoneBelow(mandate, path);
  const decision = mandate.decide(
    operation === "execute"
      ? { kind: "program", command: commandOf(handler, path) }
      : { kind: operation === "read" ? "read" : kind, path },
  );
  return decision.allowed ? undefined : decision.reason;
}

function whyNoneBelow(mandate: Mandate, folder: string): string | undefined {
  if (mandate.mayWriteBelow(folder)) return undefined;
  return mandate.decide({ kind: "write", path: `${folder}/x` }).reason;
}

function commandOf(handler: TurnCall["handler"], path: string): readonly string[] {
  return handler.kind === "command" ? (handler.asked ?? handler.command) : [path];
}

/** Why a path does not hold the version that the turn means to replace. The commit checks it again. */
function whyUnexpected(path: string, expected: string, found: BaseState): DomainError | undefined {
  const shown = JSON.stringify(path);
  if (found.kind === "other")
    return domainError("CAPABILITY_VIOLATION", `${shown} is no ordinary file and is not replaced`, {
      details: { path },
    });
  const current = found.kind === "file" ? found.hash : "";
  if (current === expected) return undefined;
  const message =
    expected === ""
      ? `${shown} exists already, and the write said that it must not; read it and give its hash to replace it`
      : current === ""
        ? `${shown} is gone; give an empty expected_hash to make it anew`
        : `${shown} has changed since it was read; read it again and give its present hash`;
  return domainError("WRITE_CONFLICT", message, { details: { path, expected_hash: expected, current_hash: current } });
}

/** Decides the network from the package's list of hosts. The evidence lists each host before the turn runs, and each connection after it. */
function judgeNetwork(
  enforcer: CapabilityEnforcer,
  decisions: RecordedDecision[],
  { networkOff: off, mandate }: PlannedCall,
): Result<{ readonly network: Network; readonly hosts: readonly HostRule[] }> {
  const named = mandate ? hostsWithin(enforcer.network, mandate, decisions) : enforcer.network;
  if (named.length === 0) return ok({ network: "none", hosts: [] });
  if (off !== undefined) {
    decisions.push({ operation: "network", subject: named.join(" "), allowed: false, rule: off });
    return ok({ network: "none", hosts: [] });
  }
  const isEverything = named.includes("*");
  const hosts = isEverything ? ok([]) : readHostRules(named);
  decisions.push({
    operation: "network",
    subject: named.join(" "),
    allowed: hosts.ok,
    rule: hosts.ok ? "granted by the package" : hosts.error.message,
  });
  return hosts.ok ? ok({ network: isEverything ? "all" : "hosts", hosts: hosts.value }) : hosts;
}

/** The package's hosts that the order's mandate does not take away. "All" becomes the hosts that the mandate lists. */
function hostsWithin(granted: readonly string[], mandate: Mandate, decisions: RecordedDecision[]): readonly string[] {
  const sources = withAbove(mandate.document).flatMap(({ hosts }) => hosts);
  const listed = sources.flatMap(({ lists }) => lists.flatMap(({ patterns }) => patterns));
  const asked = granted.includes("*") && sources.length > 0 ? [...new Set(listed)] : granted;
  return asked.filter((host) => {
    const { allowed, reason } = mandate.decide({ kind: "host", host });
    if (!allowed) decisions.push({ operation: "network", subject: host, allowed, rule: reason });
    return allowed;
  });
}

function describeHandler(call: PlannedCall): object {
  const { handler } = call;
  if (handler.kind === "command") return { command: handler.command };
  if (handler.kind === "server") return { server: handler.server, tool: handler.tool, tool_hash: handler.toolHash };
  return handler.kind === "module" ? { module: handler.module } : { function: handler.name };
}
