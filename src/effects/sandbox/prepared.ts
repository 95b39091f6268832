import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, fchownSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { basename, join } from "node:path";
import type { Duplex, Readable, Writable } from "node:stream";
import { domainError } from "#core/errors";
import { type Clock, err, ok, type Random, type Result } from "#core/values";
import type { Cgroups } from "./cgroup.ts";
import { channel } from "./channel.ts";
import { strayDescriptors } from "./descriptors.ts";
import { type Bind, bindPath, holderCommand, overlayOptions } from "./holder.ts";
import { lines, type Status, stream, watchStatus } from "./holder-channels.ts";
import type { SandboxTools } from "./host-programs.ts";
import type { Identity } from "./identity.ts";
import type { Launcher } from "./launcher.ts";
import type { TurnLimits } from "./limits.ts";
import { gatePort, type Network } from "./network-gate/network.ts";
import { type Gate, serveGate } from "./network-gate/serve-gate.ts";
import { makePipes } from "./pipes.ts";
import { childrenOf, descendantsOf, type LayerQuota, spaceOptions } from "./quota.ts";
import { rootArguments } from "./root-view.ts";
import type { RunEnd, RunOptions, RunOutcome, StartOptions } from "./run-options.ts";
import { dropSlot, makeSlot, type Slot } from "./slot.ts";

export interface PrepareOptions {
  readonly home: string;
  readonly root: string;
  readonly tools: SandboxTools;
  readonly identity: Identity;
  readonly launcher: Launcher;
  readonly builder: readonly string[];
  /** The holder for perl; absent where there is none. */
  readonly holder: string | undefined;
  /** A file that holds the filter's bytes. */
  readonly filterFile: string;
  readonly network: Network;
  readonly scratchBytes: number;
  readonly quota: LayerQuota;
  readonly layer: Pick<TurnLimits, "layerBytes" | "layerFiles">;
  /** The longest that a step of the building may take. */
  readonly buildWithinMs: number;
  readonly nodePath: string;
  readonly random: Random;
  readonly clock: Clock;
  readonly cgroups: Cgroups | undefined;
  /** Paths of the machine that it shows beside its root. */
  readonly binds: readonly Bind[];
  /** For a dialogue: standard input and output are pipes to this process, not files. */
  readonly isDialogue: boolean;
}

/** A sandbox that waits for its one command. After `run` its writes can be read; then it is dropped. */
export interface PreparedSandbox {
  readonly slot: Slot;
  readonly identity: Identity;
  readonly quota: LayerQuota;
  /** Once its folders can be filled: its layer may be a file system that the holder has to mount first. */
  opened(): Promise<Result<void>>;
  /** The processes in it, as this machine numbers them. */
  processes(): readonly number[];
  run(options: RunOptions): Promise<Result<RunOutcome>>;
  /** Starts the command and returns while it runs; only where it was prepared for a dialogue. */
  open(options: StartOptions): Promise<Result<OpenedSandbox>>;
  /** The merged tree as the turn left it; valid until the sandbox is dropped. */
  readonly mergedView: string;
  drop(): Promise<void>;
}

export interface OpenedSandbox {
  /** Of the holder, which lives as long as the sandbox. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Once everything in the sandbox is gone. */
  readonly ended: Promise<RunEnd>;
  /** True: everything in it is this process's own to end. */
  kill(signal: "SIGTERM" | "SIGKILL"): true;
}

const watchEveryMs = 200;
/** How long the last words of a program that has ended may take to be read. */
const drainMs = 500;

export function prepareSandbox(options: PrepareOptions): PreparedSandbox {
  const { tools, identity, root } = options;
  const slot = makeSlot(options);
  if (identity.kind === "shifted") options.binds.forEach(({ path }, index) => placeFor(path, bindPath(slot, index)));
  const files = ["stdin", "stdout", "stderr"].map((name) => join(slot.folder, name));
  const gateFile = join(slot.folder, "gate");
  const [stdinFile = "", stdoutFile = "", stderrFile = ""] = files;
  const pipes = options.isDialogue ? makePipes(slot.folder) : undefined;
  const descriptors = openAll(pipes?.theirs ?? files, options.filterFile, identity);
  const cgroup = options.cgroups?.make(basename(slot.folder));
  const plan = {
    joinFiles: cgroup?.joinFiles ?? [],
    tools,
    identity,
    slot,
    root,
    network: options.network,
    binds: options.binds,
    rootArguments: rootArguments({
      scratchBytes: options.scratchBytes,
      nodePath: options.nodePath,
      network: options.network,
    }),
    launcher: options.launcher,
    program: options.holder,
    space: options.quota === "memory" ? spaceOptions(options.layer) : undefined,
    builder: options.builder,
  };
  const nothing = openSync("/dev/null", "r");
  // Node's `ignore` does not close inherited descriptors above 2, so each of them is replaced by /dev/null.
  const stray = strayDescriptors();
  const covered = Array.from({ length: Math.max(0, Math.max(...stray, 0) - channel.go) }, (_, index) =>
    stray.has(index + channel.go + 1) ? nothing : ("ignore" as const),
  );
  const [program, ...args] = holderCommand(plan);
  const child = spawn(program, args, {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    stdio: [...descriptors, "pipe", "pipe", "pipe", ...covered],
    detached: true, // Ctrl-C in the operator's terminal is for Writ to handle
  });
  for (const descriptor of [...descriptors, nothing]) closeSync(descriptor);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const control = stream(child, channel.control) as Duplex;
  const go = stream(child, channel.go) as Duplex;
  const status = watchStatus(stream(child, channel.status));
  const acknowledgements = lines(control, options.clock, options.buildWithinMs);
  let ready: Promise<string | undefined> | undefined;
  const isReady = () => (ready ??= acknowledgements.next());
  let used = false;
  // A waiting sandbox does not keep this process alive; when the process ends, the channel closes and the sandbox ends too.
  const handles = [child, ...child.stdio.filter((each): each is Socket => each instanceof Socket)];
  for (const handle of handles) handle.unref();

  const problem = (what: string) =>
    err(
      domainError("SANDBOX_UNAVAILABLE", `the sandbox could not be built: ${what}${said(stderrFile)}`, {
        details: { step: what, stderr: said(stderrFile) },
      }),
    );

  /** From waiting to running: the overlay arrives, the gate opens, the command starts. */
  const start = async (request: StartOptions): Promise<Result<Gate | undefined>> => {
    if (used) return err(domainError("SANDBOX_UNAVAILABLE", "a sandbox is used once"));
    used = true;
    for (const handle of handles) handle.ref();
    if ((await isReady()) !== "ready") return problem("its mounts were refused");
    control.write(`${overlayOptions(plan, request.lower)}\n`);
    cgroup?.limit(request.limits);
    if ((await acknowledgements.next()) !== "mounted") return problem("the overlay was refused");
    const gate =
      options.network === "hosts"
        ? await serveGate({ path: gateFile, rules: request.hosts ?? [], clock: options.clock })
        : undefined;
    if (gate) {
      control.write(`gate ${(await status.childPid) ?? 0} ${gatePort} ${gateFile}\n`);
      if ((await acknowledgements.next()) !== "gated") {
        await gate.close();
        return problem("the gate to the network did not open");
      }
    }
    go.end(`${options.launcher.goLine(root, request)}\n`);
    return ok(gate);
  };

  const inHolder = (path: string) => `/proc/${child.pid ?? 0}/root${path}`;
  return {
    slot: options.quota === "memory" ? { ...slot, upper: inHolder(slot.upper), work: inHolder(slot.work) } : slot,
    identity,
    quota: options.quota,
    async opened() {
      child.ref();
      return (await isReady()) === "ready" ? ok(undefined) : problem("its mounts were refused");
    },
    processes: () => descendantsOf(child.pid ?? 0),
    mergedView: inHolder(slot.merged),
    async run(request) {
      if (!used) writeFileSync(stdinFile, request.stdin);
      const started = await start(request);
      if (!started.ok) return started;
      const gate = started.value;
      const end = await waitForEnd(request, status, child, options);
      await gate?.close();
      const keep = request.limits.outputBytes;
      return ok({
        end,
        stdout: head(stdoutFile, keep),
        stderr: head(stderrFile, keep),
        ...(gate ? { connections: gate.connections } : {}),
        flooded: statSync(stdoutFile).size > keep || statSync(stderrFile).size > keep,
      });
    },
    async open(request) {
      if (pipes === undefined) throw new Error("this sandbox was not prepared for a dialogue");
      const started = await start(request);
      if (!started.ok) return started;
      const [stdin, stdout, stderr] = pipes.connect();
      const state = { isTooLarge: false, isOver: false };
      let cancelKill = () => {};
      const killNow = () => {
        cancelKill();
        if (!state.isOver) cancelKill = killUntilEnded(child, options.clock);
      };
      const cancelWatch = watchLayer(request, options.clock, () => {
        state.isTooLarge = true;
        killNow();
      });
      const read = Promise.all([stdout, stderr].map((pipe) => closed(pipe)));
      const ended = status.exit.then(async (code): Promise<RunEnd> => {
        state.isOver = true;
        cancelWatch();
        cancelKill();
        await started.value?.close();
        // What it said last is still in the pipes, and `drop` would destroy it.
        await Promise.race([read, new Promise<void>((late) => options.clock.after(drainMs, late))]);
        if (state.isTooLarge) return { kind: "over_limit" };
        return code === undefined ? { kind: "killed" } : { kind: "exited", code };
      });
      const signal = (which: "SIGTERM" | "SIGKILL"): true => {
        if (which === "SIGKILL") killNow();
        else askToEnd(child);
        return true;
      };
      return ok({ pid: child.pid, stdin, stdout, stderr, ended, kill: signal });
    },
    async drop() {
      child.ref();
      go.destroy();
      control.destroy();
      await endWithin(child, ended, options);
      pipes?.close();
      cgroup?.drop();
      await dropSlot(slot);
    },
  };
}

/** An empty place on which the holder shows a path of the machine: a folder for a folder, a file for a file. */
function placeFor(path: string, place: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) mkdirSync(place, { mode: 0o755 });
  else writeFileSync(place, "", { mode: 0o644 });
}

function openAll(files: readonly string[], filterFile: string, identity: Identity): readonly number[] {
  const [stdin = "", stdout = "", stderr = ""] = files;
  if (!existsSync(stdin)) writeFileSync(stdin, "", { mode: 0o600 });
  const descriptors = [
    openSync(stdin, "r"),
    openSync(stdout, "a", 0o600),
    openSync(stderr, "a", 0o600),
    openSync(filterFile, "r"),
  ];
  // A program may open /dev/stdout again, which is checked against the file's owner.
  if (identity.kind === "owner" || identity.kind === "shifted")
    for (const descriptor of descriptors.slice(0, 3)) fchownSync(descriptor, identity.uid, identity.gid);
  return descriptors;
}

async function waitForEnd(
  request: RunOptions,
  status: Status,
  child: ChildProcess,
  { clock, buildWithinMs }: Pick<PrepareOptions, "clock" | "buildWithinMs">,
): Promise<RunEnd> {
  let stopped: RunEnd | undefined;
  let cancelKill = () => {};
  let cancelForce = () => {};
  const stop = (why: RunEnd) => {
    if (stopped) return;
    stopped = why;
    cancelKill = killUntilEnded(child, clock);
    // Where what should be bubblewrap is something else, nothing reports the end: then everything below the holder is ended.
    cancelForce = clock.after(buildWithinMs, () => {
      for (const each of descendantsOf(child.pid ?? 0)) kill(each);
    });
  };
  const onAbort = () => stop({ kind: "canceled" });
  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const cancelTimeout = clock.after(request.limits.timeoutMs, () => stop({ kind: "timed_out" }));
  const cancelWatch = watchLayer(request, clock, () => stop({ kind: "over_limit" }));
  const code = await status.exit;
  cancelTimeout();
  cancelKill();
  cancelForce();
  cancelWatch();
  request.signal?.removeEventListener("abort", onAbort);
  if (stopped) return stopped;
  return code === undefined ? { kind: "killed" } : { kind: "exited", code };
}

/** Ends what writes more than its layer may hold. Returns what stops the watch. */
function watchLayer({ overLimit }: Pick<StartOptions, "overLimit">, clock: Clock, stop: () => void): () => void {
  let cancel = () => {};
  const watch = () => {
    cancel = clock.after(watchEveryMs, () => (overLimit?.() ? stop() : watch()));
  };
  if (overLimit) watch();
  return () => cancel();
}

/**
 * Kills again until the caller knows of the end: while bubblewrap still builds the sandbox, there is nothing in it to kill, and a
 * limit or Ctrl-C that came so early had its effect only after a minute. Returns what stops it.
 */
function killUntilEnded(child: ChildProcess, clock: Clock): () => void {
  let cancel = () => {};
  const again = () => {
    killTree(child);
    cancel = clock.after(watchEveryMs, again);
  };
  again();
  return () => cancel();
}

/** Ends the sandbox but not its holder: the children of the holder are bubblewrap and nothing else. */
function killTree(child: ChildProcess): void {
  const pid = child.pid ?? 0;
  for (const below of childrenOf(pid)) for (const inner of childrenOf(below)) kill(inner);
}

/** Signals what pid 1 started: pid 1 itself ignores what it has no handler for. */
function askToEnd(child: ChildProcess): void {
  for (const below of childrenOf(child.pid ?? 0))
    for (const inner of childrenOf(below)) for (const started of childrenOf(inner)) kill(started, "SIGTERM");
}

/** A holder ends when its channel closes. One that does not is not ours, or hangs: it and all below it are ended by force. */
async function endWithin(
  child: ChildProcess,
  ended: Promise<void>,
  { clock, buildWithinMs }: Pick<PrepareOptions, "clock" | "buildWithinMs">,
): Promise<void> {
  const cancel = clock.after(buildWithinMs, () => {
    const pid = child.pid ?? 0;
    const below = descendantsOf(pid);
    child.kill("SIGKILL");
    for (const each of below) kill(each);
  });
  await ended;
  cancel();
}

function closed(pipe: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (pipe.closed) resolve();
    else pipe.once("close", () => resolve());
  });
}

function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}

function head(file: string, bytes: number): Buffer {
  const whole = readFileSync(file);
  return whole.length > bytes ? whole.subarray(0, bytes) : whole;
}

function said(stderrFile: string): string {
  const text = existsSync(stderrFile) ? readFileSync(stderrFile, "utf8").trim().slice(-400) : "";
  return text ? `: ${text}` : "";
}
