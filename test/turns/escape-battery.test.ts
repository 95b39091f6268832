import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createSocket, type Socket } from "node:dgram";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TurnResultV1 } from "#core/contracts";
import { sha256, sleep, systemClock } from "#core/values";
import { joined } from "../support/joined.ts";
import type { ServerRequest } from "../support/turn-server.ts";
import type { Attempt, Targets } from "./attempt.ts";
import { attemptsOnFiles } from "./attempts-on-files.ts";
import { attemptsOnTheRest } from "./attempts-on-the-rest.ts";

/** As whom Writ runs, and whose the workspace is. */
interface Cast {
  readonly name: string;
  readonly uid: number;
  readonly ownerUid: number;
  readonly arguments: readonly string[];
}

const nobody = 65534;
const root = process.getuid?.() === 0;
const casts: readonly Cast[] = root
  ? [
      { name: "as root, in a workspace of root", uid: 0, ownerUid: 0, arguments: [] },
      { name: "as root, in a workspace of another user", uid: 0, ownerUid: nobody, arguments: [] },
      { name: "as an ordinary user", uid: nobody, ownerUid: nobody, arguments: [] },
      ...(process.env["WRIT_CAMPAIGN"]
        ? [
            { name: "as root without id-mapped mounts, tier T2", uid: 0, ownerUid: 0, arguments: ["T2", "no-perl"] },
            { name: "as root without bubblewrap, tier T2", uid: 0, ownerUid: 0, arguments: ["T2", "no-bwrap"] },
            {
              name: "as nobody, without bubblewrap, T2",
              uid: nobody,
              ownerUid: nobody,
              arguments: ["T2", "no-bwrap"],
            },
          ]
        : []),
    ]
  : [{ name: "as an ordinary user", uid: process.getuid?.() ?? 0, ownerUid: process.getuid?.() ?? 0, arguments: [] }];

const compiler = ["/usr/bin/cc", "/usr/bin/gcc"].find((path) => existsSync(path));

describe.each(casts)("the escape battery $name", (cast) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(cast);
  });
  afterAll(() => stage.close());

  for (const attempt of [...attemptsOnFiles, ...attemptsOnTheRest]) {
    // Without a compiler the calls that no script can make stay untried; CI installs one.
    test.skipIf(attempt.native === true && compiler === undefined)(attempt.name, async () => {
      const before = stage.fingerprint();
      const { result, events } = await stage.run({
        command: attempt.command(stage.targets),
        outputs: attempt.outputs ?? [],
        capabilities: { read: ["**"], write: ["**"] },
        ...(attempt.limits ? { limits: attempt.limits } : {}),
      });
      await holds(stage, attempt, result, before);
      expect(events[0], "evidence").toBe("turn.started");
      expect(["turn.committed", "turn.failed"]).toContain(events.at(-1));
    });
    // Hooks and secret commands are run to their end; MCP servers and modules stay in a dialogue. What bounds a turn's size is tried there.
    for (const as of cast.name === casts[0]?.name || process.env["WRIT_CAMPAIGN"]
      ? (["program", "server"] as const)
      : [])
      test.skipIf(attempt.limits !== undefined || (attempt.native === true && compiler === undefined))(
        `${attempt.name}, from inside a ${as}`,
        async () => {
          const before = stage.fingerprint();
          const { code: _, ...expected } = attempt;
          const { result } = await stage.run({
            command: attempt.command(stage.targets),
            outputs: [],
            capabilities: {},
            as,
          });
          await holds(stage, expected, result, before);
        },
      );
  }
});

async function holds(stage: Stage, attempt: Attempt, result: TurnResultV1, before: string): Promise<void> {
  const said = (result.result ?? {}) as { stdout?: string; stderr?: string };
  const context = `${JSON.stringify(said)} ${JSON.stringify(result.error)}`;
  expect(stage.fingerprint(), context).toBe(before);
  expect(stage.contacts, context).toEqual([]);
  expect(stage.victimIsWell(), context).toBe(true);
  if (attempt.harmlessInside !== true) expect(said.stdout ?? "", context).not.toContain("DONE");
  if (attempt.says !== undefined) expect(said.stdout, context).toMatch(attempt.says);
  if (attempt.code !== undefined) expect(result.error?.code, context).toBe(attempt.code);
  expect(["TURN_FAILED", "UNDECLARED_WRITE", "TURN_LIMIT", "TIMEOUT", undefined], context).toContain(
    result.error?.code,
  );
  if (attempt.name.startsWith("28")) {
    await sleep(systemClock, 1_300); // the daemon would write after one second
    expect(stage.fingerprint()).toBe(before);
    expect(commandLines().filter((line) => line.includes("writ-battery-survivor"))).toEqual([]);
  }
  if (attempt.name.startsWith("30")) expect(existsSync(`/dev/shm/writ-battery-${stage.targets.tcpPort}`)).toBe(false);
}

interface Stage {
  readonly targets: Targets;
  readonly contacts: string[];
  run(request: ServerRequest): Promise<{ result: TurnResultV1; events: string[] }>;
  fingerprint(): string;
  victimIsWell(): boolean;
  close(): Promise<void>;
}

/** A workspace, things outside it that anybody may write, processes and listeners to be reached, and Writ in a process of its own. */
async function buildStage(cast: Cast): Promise<Stage> {
  const folder = mkdtempSync("/var/tmp/writ-battery-");
  chmodSync(folder, 0o755);
  const workspace = join(folder, "workspace");
  const outside = join(folder, "outside");
  mkdirSync(workspace);
  mkdirSync(join(outside, "empty"), { recursive: true });
  const victim = join(outside, "victim");
  const secret = join(outside, "secret");
  writeFileSync(victim, "untouched");
  writeFileSync(secret, "the secret");
  for (const path of ["planes/hot", "keys", "bin"]) mkdirSync(join(workspace, path), { recursive: true });
  for (const [path, text] of [
    ["planes/hot/log", "ledger"],
    [".env", "KEY=1"],
    ["keys/signing.key", "key"],
    ["writ.yaml", "profile"],
    ["notes.md", "notes"],
  ] as const)
    writeFileSync(join(workspace, path), text);
  for (const place of [workspace, outside]) execFileSync("mkfifo", [join(place, "fifo")]);
  if (compiler) {
    execFileSync(compiler, [
      "-O1",
      "-w",
      "-o",
      join(workspace, "bin/attempt"),
      join(import.meta.dirname, "attempts.c"),
    ]);
    const source = join(folder, "evil.c");
    writeFileSync(
      source,
      `#include <stdio.h>\n__attribute__((constructor)) static void leave(void) { FILE *f = fopen("${victim}", "w"); if (f) { fputs("escaped", f); fclose(f); puts("DONE dlopen"); } }\n`,
    );
    execFileSync(compiler, ["-shared", "-fPIC", "-w", "-o", join(workspace, "bin/evil.node"), source]);
  }
  // Only the sandbox stands between a turn and these.
  for (const path of [outside, join(outside, "empty")]) chmodSync(path, 0o777);
  for (const path of [victim, join(outside, "fifo")]) chmodSync(path, 0o666);
  if (root) for (const path of walk(workspace)) chownSync(path, cast.ownerUid, cast.ownerUid);
  if (root) chownSync(workspace, cast.ownerUid, cast.ownerUid);

  const contacts: string[] = [];
  const listeners = await listen(workspace, outside, contacts);
  const readers = [workspace, outside].map((place) =>
    openSync(join(place, "fifo"), constants.O_RDONLY | constants.O_NONBLOCK),
  );
  const asCast =
    cast.uid === 0 || !root
      ? []
      : ["setpriv", "--reuid", String(cast.uid), "--regid", String(cast.uid), "--clear-groups"];
  const victimProcess = start([...asCast, "sleep", "1000"], {});
  const leaked = openSync(victim, "r+");
  const server = start(
    [
      ...asCast,
      process.execPath,
      joined(join(import.meta.dirname, "../support/turn-server.ts")),
      workspace,
      ...cast.arguments,
    ],
    {
      leaked,
      env: {
        ...process.env,
        HOME: "/nonexistent",
        WRIT_BATTERY_SECRET: "s3cret",
        BASH_ENV: "/nonexistent",
        GIT_CONFIG_COUNT: "0",
        PYTHONSTARTUP: "/nonexistent",
        npm_config_evil: "1",
        TMPDIR: "/tmp",
      },
    },
  );
  const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream });
  const limits = () =>
    readFileSync(`/proc/${victimProcess.pid}/limits`, "utf8") +
    readFileSync(`/proc/${victimProcess.pid}/stat`, "utf8").split(" ")[18];
  await sleep(systemClock, 50);
  const limitsBefore = limits();
  const targets: Targets = {
    outside,
    victim,
    secret,
    root: workspace,
    victimPid: victimProcess.pid ?? 0,
    writPid: server.pid ?? 0,
    ...listeners.targets,
  };
  return {
    targets,
    contacts,
    run: (request) => ask(server, lines, request),
    fingerprint: () => {
      for (const reader of readers) {
        const buffer = Buffer.alloc(64);
        try {
          if (readSync(reader, buffer) > 0) contacts.push("fifo");
        } catch (thrown) {
          if ((thrown as NodeJS.ErrnoException).code !== "EAGAIN") throw thrown;
        }
      }
      return [...walk(outside), ...walk(workspace).filter((path) => !path.startsWith(join(workspace, "planes")))]
        .map(describePath)
        .join("\n");
    },
    victimIsWell: () =>
      victimProcess.exitCode === null && victimProcess.signalCode === null && limits() === limitsBefore,
    async close() {
      server.stdin?.end();
      await new Promise((resolve) => server.once("exit", resolve));
      victimProcess.kill("SIGKILL");
      for (const reader of [...readers, leaked]) closeSync(reader);
      await listeners.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function start(command: readonly string[], options: { leaked?: number; env?: NodeJS.ProcessEnv }): ChildProcess {
  const [program = "", ...args] = command;
  const stdio: (number | "pipe" | "ignore" | "inherit")[] = ["pipe", "pipe", "inherit"];
  // A careless caller of Writ: descriptors that nobody marked close-on-exec.
  if (options.leaked !== undefined) for (const at of [20, 200]) stdio[at] = options.leaked;
  return spawn(program, args, {
    stdio: Array.from(stdio, (each) => each ?? "ignore"),
    env: options.env ?? process.env,
  });
}

function ask(
  server: ChildProcess,
  lines: Interface,
  request: ServerRequest,
): Promise<{ result: TurnResultV1; events: string[] }> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error("the turn server ended"));
    server.once("exit", gone);
    lines.once("line", (line) => {
      server.off("exit", gone);
      resolve(JSON.parse(line));
    });
    server.stdin?.write(`${JSON.stringify(request)}\n`);
  });
}

async function listen(workspace: string, outside: string, contacts: string[]) {
  const open = (at: string | number): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer(() => contacts.push(String(at)));
      if (typeof at === "number") server.listen(at, "127.0.0.1", () => resolve(server));
      else server.listen(at, () => resolve(server));
    });
  const abstractName = `writ-battery-${process.pid}-${Math.abs(workspace.length * 7919 + (systemClock.now() % 1e6))}`;
  const tcp = await open(0);
  const servers = [
    tcp,
    await open(join(workspace, "agent.sock")),
    await open(join(outside, "agent.sock")),
    await open(`\0${abstractName}`),
  ];
  for (const path of [join(workspace, "agent.sock"), join(outside, "agent.sock")]) chmodSync(path, 0o777);
  const udp: Socket = createSocket("udp4", () => contacts.push("udp"));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", () => resolve()));
  const address = tcp.address();
  return {
    targets: {
      tcpPort: typeof address === "object" && address ? address.port : 0,
      udpPort: udp.address().port,
      abstractName,
    },
    close: async () => {
      udp.close();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...walk(path)] : [path];
  });
}

/** Everything that a write of any kind would change; the ctime alone tells of modes, owners, links and attributes. */
function describePath(path: string): string {
  const stat = lstatSync(path, { bigint: true });
  const content = stat.isFile() ? sha256(readFileSync(path)) : stat.isSymbolicLink() ? readlinkSync(path) : "";
  const times = stat.isFIFO() ? "" : `${stat.mtimeNs} ${stat.ctimeNs}`; // a fifo's times change when it is read
  return [path, stat.mode, stat.uid, stat.gid, stat.ino, stat.nlink, stat.size, times, content].join(" ");
}

function commandLines(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8");
      } catch {
        return "";
      }
    });
}
