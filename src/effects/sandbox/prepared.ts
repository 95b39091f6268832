import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fchownSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { basename, join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { domainError } from "#core/errors";
import { type Clock, err, ok, type Random, type Result } from "#core/values";
import type { Cgroups } from "./cgroup.ts";
import { channel } from "./channel.ts";
import { strayDescriptors } from "./descriptors.ts";
import { holderCommand, overlayOptions } from "./holder.ts";
import type { SandboxTools } from "./host-programs.ts";
import type { Identity } from "./identity.ts";
import type { Launcher } from "./launcher.ts";
import { gatePort, type Network } from "./network-gate/network.ts";
import { serveGate } from "./network-gate/serve-gate.ts";
import { rootArguments } from "./root-view.ts";
import type { RunEnd, RunOptions, RunOutcome } from "./run.ts";
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
  readonly nodePath: string;
  readonly random: Random;
  readonly clock: Clock;
  readonly cgroups: Cgroups | undefined;
}

/** A sandbox that waits for its one command. After `run` its writes can be read; then it is dropped. */
export interface PreparedSandbox {
  readonly slot: Slot;
  readonly identity: Identity;
  run(options: RunOptions): Promise<Result<RunOutcome>>;
  /** The merged tree as the turn left it; valid until the sandbox is dropped. */
  readonly mergedView: string;
  drop(): Promise<void>;
}

const watchEveryMs = 200;

export function prepareSandbox(options: PrepareOptions): PreparedSandbox {
  const { tools, identity, root } = options;
  const slot = makeSlot(options.home, root, identity, options.random);
  const files = ["stdin", "stdout", "stderr"].map((name) => join(slot.folder, name));
  const gateFile = join(slot.folder, "gate");
  const [stdinFile = "", stdoutFile = "", stderrFile = ""] = files;
  const descriptors = openAll(files, options.filterFile, identity);
  const cgroup = options.cgroups?.make(basename(slot.folder));
  const plan = {
    joinFiles: cgroup?.joinFiles ?? [],
    tools,
    identity,
    slot,
    root,
    network: options.network,
    rootArguments: rootArguments({
      scratchBytes: options.scratchBytes,
      nodePath: options.nodePath,
      network: options.network,
    }),
    launcher: options.launcher,
    program: options.holder,
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
  const acknowledgements = lines(control);
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

  return {
    slot,
    identity,
    mergedView: `/proc/${child.pid ?? 0}/root${slot.merged}`,
    async run(request) {
      if (used) return err(domainError("SANDBOX_UNAVAILABLE", "a sandbox is used once"));
      used = true;
      for (const handle of handles) handle.ref();
      if ((await acknowledgements.next()) !== "ready") return problem("its mounts were refused");
      control.write(`${overlayOptions(plan)}\n`);
      writeFileSync(stdinFile, request.stdin);
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
      const end = await waitForEnd(request, status, child, options.clock);
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
    async drop() {
      child.ref();
      go.destroy();
      control.destroy();
      await ended;
      cgroup?.drop();
      await dropSlot(slot);
    },
  };
}

function openAll(files: readonly string[], filterFile: string, identity: Identity): readonly number[] {
  const [stdin = "", stdout = "", stderr = ""] = files;
  writeFileSync(stdin, "", { mode: 0o600 });
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

function stream(child: ChildProcess, index: number): Readable {
  const found = child.stdio[index] as Readable;
  found.on("error", () => undefined); // a sandbox that died closes its channels; the status channel reports its end
  return found;
}

interface Status {
  /** The exit code once pid 1 was reaped; undefined when bubblewrap ended without one. */
  readonly exit: Promise<number | undefined>;
  /** Pid 1 of the sandbox, in the pid namespace of this machine; undefined where the builder does not report it. */
  readonly childPid: Promise<number | undefined>;
}

/**
 * bubblewrap reports an exit code only after it has waited for pid 1, and the kernel lets pid 1 be waited for only after
 * everything else in its namespace is gone: from then on no process writes into the layer.
 */
function watchStatus(from: Readable): Status {
  let text = "";
  const reported = (what: RegExp) =>
    new Promise<number | undefined>((resolve) => {
      from.on("data", () => {
        const found = what.exec(text)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
      from.once("close", () => resolve(undefined));
    });
  from.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { exit: reported(/"exit-code": (\d+)/), childPid: reported(/"child-pid": (\d+)/) };
}

async function waitForEnd(request: RunOptions, status: Status, child: ChildProcess, clock: Clock): Promise<RunEnd> {
  let stopped: RunEnd | undefined;
  const stop = (why: RunEnd) => {
    stopped ??= why;
    killTree(child);
  };
  const onAbort = () => stop({ kind: "canceled" });
  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const cancelTimeout = clock.after(request.limits.timeoutMs, () => stop({ kind: "timed_out" }));
  let cancelWatch = () => {};
  const watch = () => {
    cancelWatch = clock.after(watchEveryMs, () => (request.overLimit?.() ? stop({ kind: "over_limit" }) : watch()));
  };
  if (request.overLimit) watch();
  const code = await status.exit;
  cancelTimeout();
  cancelWatch();
  request.signal?.removeEventListener("abort", onAbort);
  if (stopped) return stopped;
  return code === undefined ? { kind: "killed" } : { kind: "exited", code };
}

/** Ends the sandbox but not its holder: the children of the holder are bubblewrap and nothing else. */
function killTree(child: ChildProcess): void {
  const pid = child.pid ?? 0;
  for (const below of childrenOf(pid)) for (const inner of childrenOf(below)) kill(inner);
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // it ended by itself
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

function lines(from: Readable): { next(): Promise<string | undefined> } {
  let text = "";
  const state = { over: false };
  let wake = () => {};
  from.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    wake();
  });
  for (const event of ["end", "close"])
    from.once(event, () => {
      state.over = true;
      wake();
    });
  return {
    async next() {
      while (!text.includes("\n") && !state.over) await new Promise<void>((resolve) => (wake = resolve));
      const at = text.indexOf("\n");
      if (at < 0) return undefined;
      const line = text.slice(0, at);
      text = text.slice(at + 1);
      return line;
    },
  };
}

function head(file: string, bytes: number): Buffer {
  const whole = readFileSync(file);
  return whole.length > bytes ? whole.subarray(0, bytes) : whole;
}

function said(stderrFile: string): string {
  const text = readFileSync(stderrFile, "utf8").trim().slice(-400);
  return text ? `: ${text}` : "";
}
