import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { domainError } from "#core/errors";
import { removeTree } from "#core/machine";
import { type Clock, err, ok, type Random, type Result, type Sha256 } from "#core/values";
import { type Isolation, isBelow, type Tier } from "../turns/isolation.ts";
import { type Cgroups, findCgroups } from "./cgroup.ts";
import { hideUnseen, whiteoutIn } from "./hide-unseen.ts";
import type { Bind } from "./holder.ts";
import { findTools, type SandboxTools } from "./host-programs.ts";
import { chooseIdentity, type Identity } from "./identity.ts";
import { type Launcher, perlLauncher, shellLauncher } from "./launcher.ts";
import { defaultLimits } from "./limits.ts";
import type { Network } from "./network-gate/network.ts";
import { builderProgram } from "./perl/builder-program.ts";
import { callNumbers } from "./perl/calls.ts";
import { holderProgram } from "./perl/holder-program.ts";
import { idmapFunction, ownMountsFunction } from "./perl/idmap.ts";
import { type PreparedSandbox, prepareSandbox } from "./prepared.ts";
import { type LayerQuota, quotaFor } from "./quota.ts";
import { architectureOf, type SeccompFilter, seccompFilter } from "./seccomp/filter.ts";
import type { Architecture } from "./seccomp/syscall-table.ts";
import { createSecretIndex, type SecretIndex } from "./secret-index.ts";
import { isUnbuilt, type Probe, selfTest } from "./self-test.ts";
import { slotHome } from "./slot.ts";
import { shiftTrial, takeHome } from "./take-home.ts";

/** The strongest sandbox of this machine for one workspace. Tested before first use; sandboxes are prepared ahead and used once. */
export interface TurnSandbox {
  /** The sandbox that a turn runs in, or `SANDBOX_UNAVAILABLE`. The self-test runs once per process. */
  ready(): Promise<Result<SandboxFacts>>;
  /** A sandbox for one turn or program; only after `ready` succeeded. */
  take(options: SandboxNeeds): PreparedSandbox;
  /** Results of the self-test, for `writ doctor`. */
  probes(): Promise<readonly Probe[]>;
  close(): Promise<void>;
}

export interface SandboxNeeds {
  readonly network: Network;
  /** Paths of the machine that it shows; none for a turn. */
  readonly binds?: readonly Bind[];
  /** Standard input and output are pipes to this process. */
  readonly isDialogue?: boolean;
}

export interface SandboxFacts {
  readonly isolation: Isolation;
  /** The same for a turn whose network was granted. */
  readonly openIsolation: Isolation;
  /** The same for a turn that may reach named hosts; undefined where a part of the gate is missing. */
  readonly gatedIsolation: Isolation | undefined;
  readonly whiteout: string;
  readonly secrets: SecretIndex;
  /** The folder of this process's sandboxes. It is removed when the process ends. */
  readonly home: string;
}

export interface TurnSandboxOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly minimumTier?: Tier;
  /** Number of sandboxes that are kept ready. */
  readonly pool?: number;
  /** Folder of the sandboxes; chosen automatically when absent. */
  readonly home?: string;
  /** Files that the workspace declares as secret, beside those whose names imply it. */
  readonly isSecret?: (path: string) => boolean;
  /** The largest layer that a turn may write; it decides what holds layers to their size. */
  readonly layerBytes?: number;
  readonly quota?: LayerQuota;
  /** The longest that one step of building a sandbox may take. */
  readonly buildWithinMs?: number;
  /** For tests that remove or disable a layer. */
  readonly tools?: Partial<SandboxTools>;
  readonly filter?: SeccompFilter;
  readonly programs?: { readonly holder?: string; readonly launcher?: string; readonly builder?: string };
}

interface Ground {
  readonly tools: SandboxTools;
  readonly home: string;
  readonly filter: SeccompFilter;
  readonly filterFile: string;
  /** The same with internet sockets, for turns whose network was granted. */
  readonly networkFilterFile: string;
  readonly networkFilterHash: Sha256;
  readonly whiteout: string;
  readonly shifts: boolean;
  readonly launcher: Launcher;
  readonly holder: string | undefined;
  readonly builder: readonly string[];
  /** Version of the Landlock ABI; 0 where the kernel has none, or no launcher can apply it. */
  readonly landlock: number;
  readonly release: () => void;
  readonly cgroups: Cgroups | undefined;
}

export function createTurnSandbox(options: TurnSandboxOptions): TurnSandbox {
  const { root } = options;
  const secrets = createSecretIndex(root, options.clock, options.isSecret);
  let ground: Result<Ground> | undefined;
  let verdict: Promise<Result<SandboxFacts>> | undefined;
  let found: readonly Probe[] = [];
  const waiting: PreparedSandbox[] = [];
  const leaving = new Set<Promise<void>>();
  const layer = { layerBytes: options.layerBytes ?? defaultLimits.layerBytes, layerFiles: defaultLimits.layerFiles };
  const state = { closed: false, quota: options.quota ?? quotaFor(layer.layerBytes) };

  const onGround = (): Result<Ground> => (ground ??= layGround(options));
  const prepare = (on: Ground, workspace: string, needs: SandboxNeeds): PreparedSandbox => {
    const { network } = needs;
    return prepareSandbox({
      ...on,
      filterFile: network === "none" ? on.filterFile : on.networkFilterFile,
      root: workspace,
      identity: identityFor(workspace, on.shifts, options.random),
      network,
      binds: needs.binds ?? [],
      isDialogue: needs.isDialogue ?? false,
      scratchBytes: defaultLimits.scratchBytes,
      quota: state.quota,
      layer,
      buildWithinMs: options.buildWithinMs ?? buildWithinMs,
      nodePath: process.execPath,
      random: options.random,
      clock: options.clock,
    });
  };
  const refill = (on: Ground) => {
    while (!state.closed && waiting.length < (options.pool ?? 0)) waiting.push(prepare(on, root, { network: "none" }));
  };

  const leave = (sandbox: PreparedSandbox, on: Ground) => {
    const dropping = sandbox.drop();
    leaving.add(dropping);
    void dropping.finally(() => {
      leaving.delete(dropping);
      refill(on);
    });
  };

  const test = async (on: Ground): Promise<readonly Probe[]> => {
    const place = makeProbeGround(on, root);
    const sandbox = prepare(on, place.root, { network: "none" });
    try {
      hideUnseen({
        root: place.root,
        mask: sandbox.slot.mask,
        whiteout: on.whiteout,
        identity: sandbox.identity,
        visibility: { isVisible: (path) => path !== "hidden", visibilityBelow: () => "all" },
        secrets: { below: () => [] },
      });
      return await selfTest(sandbox, {
        ...place,
        landlock: on.landlock > 0,
        withinMs: options.buildWithinMs ?? buildWithinMs,
      });
    } finally {
      await sandbox.drop();
      removeTree(place.folder);
    }
  };

  const judge = async (): Promise<Result<SandboxFacts>> => {
    const on = onGround();
    if (!on.ok) return on;
    found = await test(on.value);
    // A kernel whose file systems in memory cannot hold an overlay: the layer lies on the disk and is watched.
    if (options.quota === undefined && state.quota === "memory" && found.some(isUnbuilt)) {
      state.quota = "watched";
      found = await test(on.value);
    }
    const broken = found.filter((probe) => !probe.held);
    if (broken.length > 0)
      return err(
        domainError(
          "SANDBOX_UNAVAILABLE",
          `the sandbox failed its own test: ${broken.map((probe) => `${probe.name} (${probe.found})`).join("; ")}. No turn runs`,
          {
            details: { probes: broken },
          },
        ),
      );
    const isolation = describeIsolation(on.value, root, state.quota);
    const minimum = options.minimumTier ?? "T3";
    if (isBelow(isolation.tier, minimum))
      return err(
        domainError(
          "SANDBOX_UNAVAILABLE",
          `this machine offers the tier ${isolation.tier} here, and ${minimum} is asked for; ${isolation.backend === "bubblewrap" ? "give the workspace to an ordinary user" : "install the package bubblewrap"}, or set sandbox.minimum_tier: ${isolation.tier}`,
          {
            details: { tier: isolation.tier, minimum },
          },
        ),
      );
    refill(on.value);
    const openIsolation = { ...isolation, network: true, filter_hash: on.value.networkFilterHash };
    const hasGate = on.value.tools.perl !== undefined && on.value.tools.bwrap !== undefined;
    const gatedIsolation = hasGate ? { ...openIsolation, layers: [...isolation.layers, "network_gate"] } : undefined;
    return ok({ isolation, openIsolation, gatedIsolation, whiteout: on.value.whiteout, secrets, home: on.value.home });
  };

  return {
    ready: () => (verdict ??= judge()),
    take(needs) {
      const on = onGround();
      if (!on.ok) throw new Error("take() before ready()");
      const isPlain = needs.network === "none" && !needs.binds?.length && !needs.isDialogue;
      const sandbox = isPlain ? waiting.shift() : undefined;
      // The pool is refilled when this turn is over, so that the two do not compete for the machine.
      const taken = sandbox ?? prepare(on.value, root, needs);
      return {
        ...taken,
        // In the background: its processes are dead, its writes are read, and unmounting takes longer than the turn.
        drop: () => {
          leave(taken, on.value);
          return Promise.resolve();
        },
      };
    },
    async probes() {
      await (verdict ??= judge());
      return found;
    },
    async close() {
      state.closed = true;
      await Promise.all([...leaving, ...waiting.splice(0).map((sandbox) => sandbox.drop())]);
      if (ground?.ok) ground.value.release();
    },
  };
}

/** Only against hanging: a probe may be slow on a busy machine. */
const buildWithinMs = 60_000;
const within = (timeout: number) => ({ timeout, killSignal: "SIGKILL" }) as const;

function layGround(options: TurnSandboxOptions): Result<Ground> {
  if (process.platform !== "linux")
    return err(domainError("SANDBOX_UNAVAILABLE", `turns need Linux for their sandbox; this is ${process.platform}`));
  const architecture = architectureOf(process.arch);
  if (architecture === undefined)
    return err(domainError("SANDBOX_UNAVAILABLE", `there is no system call table for ${process.arch}`));
  const tools = findTools(options.tools);
  if (!tools.ok) return tools;
  const base = slotHome(options.root, options.home);
  if (!base.ok) return base;
  const taken = takeHome(base.value, options.random);
  const home = taken.folder;
  const withinMs = options.buildWithinMs ?? buildWithinMs;
  const whiteout = whiteoutIn(home, tools.value.mknod, withinMs);
  if (whiteout === undefined) {
    taken.release();
    return err(
      domainError(
        "SANDBOX_UNAVAILABLE",
        `the file system of ${home} takes no whiteouts, which hide what a turn may not see`,
      ),
    );
  }
  const filter = options.filter ?? seccompFilter(architecture, { network: false });
  const filterFile = join(home, "filter.bpf");
  writeFileSync(filterFile, filter.bytes, { mode: 0o644 });
  const networkFilterFile = join(home, "network-filter.bpf");
  const networkFilter = seccompFilter(architecture, { network: true });
  writeFileSync(networkFilterFile, networkFilter.bytes, { mode: 0o644 });
  const { perl, bwrap } = tools.value;
  const shifts = process.getuid?.() === 0 && canShift(tools.value, home, options.root, { architecture, withinMs });
  const landlock = perl === undefined ? 0 : landlockVersion(perl, withinMs);
  const { programs } = options;
  return ok({
    tools: tools.value,
    home,
    filter,
    filterFile,
    networkFilterFile,
    networkFilterHash: networkFilter.hash,
    whiteout,
    shifts,
    launcher:
      perl === undefined
        ? shellLauncher
        : perlLauncher({
            perl,
            architecture,
            landlock,
            ...(programs?.launcher === undefined ? {} : { program: programs.launcher }),
          }),
    holder: perl === undefined ? undefined : (programs?.holder ?? holderProgram(architecture)),
    builder:
      bwrap === undefined ? [perl ?? "", "-e", programs?.builder ?? builderProgram(architecture), "--"] : [bwrap],
    landlock,
    release: () => taken.release(),
    cgroups: findCgroups(),
  });
}

/** Tried on the workspace itself, since only its file system decides whether it can be id-mapped. */
function canShift(
  tools: SandboxTools,
  home: string,
  root: string,
  { architecture, withinMs }: { readonly architecture: Architecture; readonly withinMs: number },
): boolean {
  if (tools.perl === undefined || statSync(root).uid !== 0) return false;
  const target = join(home, shiftTrial);
  const program = `${callNumbers(architecture)}${idmapFunction}${ownMountsFunction} own_mounts(0x20000); idmap(@ARGV, 1879048192, 1879048192);`;
  mkdirSync(target, { recursive: true });
  const tried = spawnSync(tools.perl, ["-e", program, root, target], { env: {}, stdio: "ignore", ...within(withinMs) });
  return tried.status === 0;
}

/** Version 1 refuses every rename between folders, which editors need, so it counts as none. */
function landlockVersion(perl: string, withinMs: number): number {
  const said = spawnSync(perl, ["-e", "print syscall(444, 0, 0, 1)"], {
    encoding: "utf8",
    env: {},
    ...within(withinMs),
  });
  const version = Number(said.stdout || "0");
  return version >= 2 ? version : 0;
}

function identityFor(root: string, shifts: boolean, random: Random): Identity {
  const stat = statSync(root);
  return chooseIdentity({
    processUid: process.getuid?.() ?? 0,
    processGid: process.getgid?.() ?? 0,
    ownerUid: stat.uid,
    ownerGid: stat.gid,
    canShift: shifts,
    random,
  });
}

function makeProbeGround(on: Ground, root: string): { folder: string; root: string; canary: string } {
  const folder = join(on.home, "probe");
  const ground = join(folder, "workspace");
  mkdirSync(ground, { recursive: true, mode: 0o711 });
  for (const each of [folder, ground]) chmodSync(each, 0o755);
  writeFileSync(join(ground, "hidden"), "hidden\n");
  const owner = statSync(root);
  if (process.getuid?.() === 0) chownSync(ground, owner.uid, owner.gid);
  const canary = join(folder, "canary");
  writeFileSync(canary, "untouched\n");
  chmodSync(canary, 0o666);
  return { folder, root: ground, canary };
}

function describeIsolation(on: Ground, root: string, quota: LayerQuota): Isolation {
  const { kind, uid } = identityFor(root, on.shifts, { bytes: (count) => new Uint8Array(count) });
  const { bwrap } = on.tools;
  return {
    tier: kind === "mapped" || bwrap === undefined ? "T2" : "T3",
    backend: bwrap === undefined ? "namespaces" : "bubblewrap",
    layers: [
      "namespaces",
      "minimal_root",
      "seccomp",
      "overlay",
      ...(on.landlock > 0 ? ["landlock"] : []),
      ...(kind === "mapped" ? [] : ["unprivileged_id"]),
      ...(on.cgroups ? ["control_group"] : []),
      ...(quota === "memory" ? ["layer_quota"] : []),
    ],
    versions: {
      ...(bwrap === undefined ? {} : { bubblewrap: versionOf(bwrap) }),
      kernel: release(),
      node: process.version,
      ...(on.landlock > 0 ? { landlock: String(on.landlock) } : {}),
    },
    filter_hash: on.filter.hash,
    runs_as: kind,
    uid,
    network: false,
    self_test: "passed",
  };
}

function versionOf(bwrap: string): string {
  const said = spawnSync(bwrap, ["--version"], { encoding: "utf8", env: {}, ...within(buildWithinMs) }).stdout;
  return said?.trim().split(" ").at(-1) ?? "unknown";
}
