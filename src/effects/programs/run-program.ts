import { constants as osConstants } from "node:os";
import { type DomainError, domainError } from "#core/errors";
import {
  agentWrites,
  closureOf,
  nodeProcesses,
  type ProgramClosure,
  type ProgramOutcome,
  type ProgramRequest,
  type ProgramSpec,
  type ProgramTier,
} from "#core/machine";
import { err, ok, type ProcessOutcome, type Result } from "#core/values";
import { filesOfConfig } from "#governance";
import { type UnshownFile, whyUnshown } from "#governance/mandate";
import { hideUnseen } from "../sandbox/hide-unseen.ts";
import { defaultLimits, type TurnLimits } from "../sandbox/limits.ts";
import { readHostRules } from "../sandbox/network-gate/host-rules.ts";
import type { Network } from "../sandbox/network-gate/network.ts";
import type { PreparedSandbox } from "../sandbox/prepared.ts";
import { layerWatch } from "../sandbox/quota.ts";
import type { RunEnd, StartOptions } from "../sandbox/run-options.ts";
import { createTurnSandbox, type SandboxFacts, type TurnSandbox } from "../sandbox/turn-sandbox.ts";
import { createCapabilityEnforcer } from "../turns/capability/enforcer.ts";
import { type Isolation, isBelow } from "../turns/isolation.ts";
import { isolationOf } from "../turns/isolation-of.ts";
import type { OrderLayers } from "../turns/layer/order-layers.ts";
import { limitsOf } from "../turns/limits-of.ts";
import { visibleToBoth } from "../turns/visibility.ts";
import type { LayeredProgram, StartRequest } from "./layered-program.ts";
import { liveView } from "./live-visibility.ts";
import { makeWritable, reachOf } from "./program-binds.ts";
import { environmentInside, environmentOutside } from "./program-environment.ts";
import type { ProgramsOptions } from "./programs-options.ts";
import type { Snapshots } from "./snapshots.ts";
import { staleness } from "./staleness.ts";
import { startOutside } from "./start-outside.ts";
import { unkeptWrites } from "./unkept-writes.ts";
import { writtenElsewhere } from "./written-elsewhere.ts";

export interface AdmittedProgram {
  readonly spec: ProgramSpec;
  readonly closure: ProgramClosure;
}

export interface ProgramRunner {
  prepare(program: AdmittedProgram): Promise<void>;
  run(program: AdmittedProgram, request: ProgramRequest): Promise<Result<ProgramOutcome>>;
  start(program: AdmittedProgram, request: StartRequest): Promise<Result<LayeredProgram>>;
  close(): Promise<void>;
}

/** A sandbox with the snapshot and the view that its program is started over. */
interface Entered {
  readonly sandbox: PreparedSandbox;
  readonly start: Omit<StartOptions, "limits">;
  readonly isolation: Isolation;
  readonly hidden: ReadonlySet<string>;
  readonly isStale: () => boolean;
  readonly unshown: readonly UnshownFile[];
  /** Patterns of the workspace that it writes. */
  readonly writes: readonly string[];
}

interface RunnerOptions extends ProgramsOptions {
  readonly layers: OrderLayers;
  readonly snapshots: Snapshots;
}

/** A server runs as long as Writ does, so its limit on processor time is a week. */
const longCpuSeconds = 7 * 24 * 3600;
/** One is kept ready, so that a hook waits for its program and not for its sandbox. */
const pool = 1;

/** The one place where a program that the configuration names is started. */
export function createProgramRunner(options: RunnerOptions): ProgramRunner {
  const { root, config, clock, random } = options;
  const named = filesOfConfig(config, root);
  let made: TurnSandbox | undefined;
  const box = () =>
    (made ??= createTurnSandbox({
      root,
      clock,
      random,
      minimumTier: "T2", // each program's own minimum is compared below
      isSecret: (path) => named.whyUnreadable(path) !== undefined,
      pool,
    }));
  const elsewhere = writtenElsewhere(config, root);
  const profileTier = config.sandbox.minimum_tier === "T4" ? "T3" : config.sandbox.minimum_tier;

  /** The sandbox's facts; undefined where the program runs without one because the configuration says so by name. */
  const isolate = async ({ where, rights }: ProgramSpec): Promise<Result<SandboxFacts | undefined>> => {
    if (rights.tier === "T1") return ok(undefined);
    const ready = await box().ready();
    const minimum = rights.tier ?? profileTier;
    if (ready.ok && !isBelow(ready.value.isolation.tier, minimum)) return ready;
    if (minimum === "T1") return ready.ok ? ready : ok(undefined);
    return err(
      unavailable(where, ready.ok ? `this machine offers the tier ${ready.value.isolation.tier}` : ready.error),
    );
  };

  /** What was said of a program is not said again at each of its starts. */
  const noticed = new Set<string>();
  const noticeWithheld = ({ where, rights }: ProgramSpec, withheld: readonly UnshownFile[]) => {
    const fresh = withheld.filter(({ pattern }) => !noticed.has(`${where}\0${pattern}`));
    for (const { pattern } of fresh) noticed.add(`${where}\0${pattern}`);
    if (fresh.length > 0) options.onNotice?.(whyUnshown(where, rights, fresh));
  };

  const enter = (
    { spec, closure }: AdmittedProgram,
    facts: SandboxFacts,
    request: StartRequest,
    isDialogue: boolean,
  ): Result<Entered> => {
    const { rights } = spec;
    const reach = reachOf(spec, closure, root, elsewhere);
    if (!reach.ok) return reach;
    noticeWithheld(spec, reach.value.unshown);
    const code = options.snapshots.tree(closure, facts.home);
    if (!code.ok) return code;
    const network: Network = rights.hosts?.includes("*") ? "all" : rights.hosts?.length ? "hosts" : "none";
    const hosts = readHostRules(network === "hosts" ? (rights.hosts ?? []) : []);
    if (!hosts.ok) return hosts;
    if (network === "hosts" && !facts.gatedIsolation)
      return err(unavailable(spec.where, "the gate to named hosts needs perl and bubblewrap"));
    makeWritable(reach.value.binds);
    const sandbox = box().take({ network, binds: reach.value.binds, isDialogue });
    const seen = [...reach.value.read, ...reach.value.live, ...reach.value.write];
    let hidden: ReadonlySet<string> = new Set();
    let isStale = () => false;
    let unshown: readonly UnshownFile[] = [];
    if (seen.length > 0) {
      const sessionId = request.session_id ?? "";
      const visibility = createCapabilityEnforcer({ capabilities: { read: seen }, sessionId, root, named });
      if (!visibility.ok) return visibility;
      const view = options.layers.viewOf(sessionId);
      const { slot, identity } = sandbox;
      const { whiteout, secrets } = facts;
      const written = agentWrites(root);
      const live = liveView({ closure, seen: reach.value, rights: visibility.value, view, written });
      unshown = live.withheld;
      noticeWithheld(spec, unshown);
      isStale = staleness({ root, upper: slot.upper, written, live, rights: visibility.value });
      const visible = visibleToBoth(live, request.mandate);
      hidden = hideUnseen({ root, view, mask: slot.mask, whiteout, identity, visibility: visible, secrets });
    }
    const { cwd = root } = request;
    // A folder that holds none of its files is not in the snapshot.
    const enterFolder = 'mkdir -p "$1" 2>/dev/null; cd "$1" && shift && exec "$@"';
    const started = cwd === root ? [] : ["/bin/sh", "-c", enterFolder, "sh", cwd];
    return ok({
      sandbox,
      isolation: isolationOf(facts, network),
      hidden,
      isStale,
      unshown,
      writes: reach.value.write,
      start: {
        command: [...started, ...request.command],
        env: { ...environmentInside({ spec, network, env: options.env }), ...request.env },
        lower: { code: code.value, workspace: seen.length > 0 },
        ...(network === "hosts" ? { hosts: hosts.value } : {}),
      },
    });
  };

  return {
    async prepare({ spec }) {
      await isolate(spec);
    },
    async run(program, request) {
      const facts = await isolate(program.spec);
      if (!facts.ok) return facts;
      if (!facts.value) return runOutside(program, request, options);
      const began = clock.monotonic();
      const entered = enter(program, facts.value, request, false);
      if (!entered.ok) return entered;
      const { sandbox, start } = entered.value;
      try {
        const limits = limitsFor(options, { timeoutMs: request.timeoutMs, outputBytes: request.maxOutputBytes });
        const stdin = typeof request.stdin === "string" ? request.stdin : new TextDecoder().decode(request.stdin);
        const ran = await sandbox.run({ ...start, stdin, limits, signal: request.signal });
        if (!ran.ok) return ran;
        const { end, flooded } = ran.value;
        return ok({
          end: flooded ? { kind: "flooded" } : endOf(end),
          stdout: ran.value.stdout.toString("utf8"),
          stderr: ran.value.stderr.toString("utf8"),
          durationMs: clock.monotonic() - began,
          tier: facts.value.isolation.tier as ProgramTier,
        });
      } finally {
        await sandbox.drop();
      }
    },
    async start(program, request) {
      const facts = await isolate(program.spec);
      if (!facts.ok) return facts;
      if (!facts.value) {
        const unchanged = sameFiles(program, root);
        const env = { ...environmentOutside(options.env), ...request.env };
        return unchanged.ok ? startOutside({ ...request, env, cwd: request.cwd ?? root }) : unchanged;
      }
      const entered = enter(program, facts.value, request, true);
      if (!entered.ok) return entered;
      const { sandbox, start } = entered.value;
      const limits = limitsFor(options, { cpuSeconds: longCpuSeconds });
      const isReady = await sandbox.opened();
      const { slot, quota } = sandbox;
      const watched = { upper: slot.upper, limits, quota, processes: () => sandbox.processes() };
      const opened = isReady.ok ? await sandbox.open({ ...start, limits, overLimit: layerWatch(watched) }) : isReady;
      if (!opened.ok) {
        await sandbox.drop();
        return opened;
      }
      const ended = opened.value.ended.then(async (end) => {
        await sandbox.drop();
        return { why: wordsOf(end), isGone: true };
      });
      const { isolation, hidden, isStale, unshown, writes } = entered.value;
      const layer = { isolation, hidden, unshown, writes, upper: slot.upper, merged: sandbox.mergedView };
      return ok({
        ...opened.value,
        ended,
        tier: isolation.tier as ProgramTier,
        isStale,
        unshown,
        ...(writes.length > 0 ? { layer } : { unkept: () => unkeptWrites(slot.upper, root) }),
      });
    },
    async close() {
      await made?.close();
    },
  };
}

function limitsFor({ config }: RunnerOptions, more: Partial<TurnLimits>): TurnLimits {
  const { timeoutMs: _, ...profile } = limitsOf(config, {});
  return { ...defaultLimits, ...profile, ...more };
}

/** Without a sandbox the files themselves are run, so they must still be those that were admitted. */
function sameFiles({ spec, closure }: AdmittedProgram, root: string): Result<void> {
  const now = closureOf({ ...spec, root });
  if (!now.ok) return now;
  if (now.value.digest === closure.digest) return ok(undefined);
  return err(
    domainError(
      "LAW_CHANGED",
      `${spec.where}: its files changed since they were admitted, and it has no sandbox to run the old ones in`,
      {
        details: { where: spec.where, hint: "look at what changed, and start again" },
      },
    ),
  );
}

async function runOutside(
  program: AdmittedProgram,
  request: ProgramRequest,
  options: RunnerOptions,
): Promise<Result<ProgramOutcome>> {
  const unchanged = sameFiles(program, options.root);
  if (!unchanged.ok) return unchanged;
  const env = { ...environmentOutside(options.env), ...request.env };
  const ran = await nodeProcesses(options.clock).run({ cwd: options.root, ...request, env });
  return ran.ok ? ok({ ...ran.value, tier: "T1" }) : ran;
}

function endOf(end: RunEnd): ProcessOutcome["end"] {
  if (end.kind === "over_limit") return { kind: "killed", signal: "SIGKILL" };
  if (end.kind === "killed") return { kind: "killed", signal: "SIGKILL" };
  if (end.kind !== "exited") return end;
  const signal = Object.entries(osConstants.signals).find(([, number]) => end.code === 128 + number)?.[0];
  return signal === undefined ? end : { kind: "killed", signal };
}

function wordsOf(end: RunEnd): string {
  const as = endOf(end);
  return as.kind === "exited"
    ? `it ended with status ${as.code}`
    : as.kind === "killed"
      ? `it was ended by ${as.signal}`
      : `it was ended (${as.kind})`;
}

function unavailable(where: string, why: string | DomainError): DomainError {
  const said = typeof why === "string" ? why : why.message;
  return domainError(
    "SANDBOX_UNAVAILABLE",
    `${where} was not started: programs of a workspace run in a sandbox, and ${said}`,
    {
      details: {
        where,
        hint: `\`writ doctor\` tells how to get one (install the package bubblewrap); to run this program without, say so by name: \`rights: { tier: T1 }\` under ${where}`,
      },
    },
  );
}
