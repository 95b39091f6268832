import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TokenRequest } from "../../../src/work/foreign/issue-token.ts";
import { type Open, open, payloads, recorded } from "../../support/model-door.ts";
import { hangsAfter, messagesStream, type SeenBytes, streams } from "../../support/model-server.ts";

const folder = fileURLToPath(new URL("../../agents/", import.meta.url));
const claude = join(folder, "node_modules/.bin/claude");
const native = join(folder, `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`);

const bubblewrap = "bwrap";

/** Marks the process that has no network but its own loopback. */
const offline = "WRIT_AGENTS_OFFLINE";

interface Ran {
  readonly exit: number | null;
  readonly said: string;
  readonly files: (name: string) => boolean;
  readonly asked: number;
  readonly permits: readonly string[];
  readonly refused: readonly string[];
  readonly isProved: boolean;
}

interface Case {
  readonly name: string;
  readonly asked?: Partial<TokenRequest>;
  /** The calls that the model makes, one a turn, until as many results have come. */
  readonly calls: (work: string) => readonly { readonly id: string; readonly name: string; readonly args: object }[];
  readonly usage?: { readonly input: number; readonly output: number };
  /** How the model says that it ended. */
  readonly finish?: string;
  /** The session is halted in the midst of the first answer. */
  readonly isHalted?: true;
  readonly holds: (ran: Ran) => boolean;
}

const write = (work: string, index = 1) => ({
  id: `toolu_write_${index}`,
  name: "Write",
  args: { file_path: join(work, `out-${index}.txt`), content: "written\n" },
});
const read = (work: string) => ({ id: "toolu_read", name: "Read", args: { file_path: join(work, "in.txt") } });
const run = { id: "toolu_run", name: "Bash", args: { command: "echo ran > ran.txt", description: "runs" } };

const cases: readonly Case[] = [
  {
    name: "reads, writes and runs, each with its permit",
    calls: (work) => [read(work), write(work), run],
    holds: ({ exit, files, permits, refused }) =>
      exit === 0 &&
      files("out-1.txt") &&
      files("ran.txt") &&
      permits.join() === "Read,Write,Bash" &&
      refused.length === 0,
  },
  {
    name: "a call that the order does not name is not made, and the agent ends in order",
    asked: { tools: ["Read"] },
    calls: (work) => [read(work), write(work)],
    holds: ({ exit, files, refused, permits }) =>
      exit === 0 && !files("out-1.txt") && refused.join() === "Write" && permits.join() === "Read",
  },
  {
    name: "a budget that is spent before a request stops the agent with a failure",
    asked: { tokens: 60_000 },
    calls: (work) => Array.from({ length: 30 }, (_, index) => write(work, index)),
    usage: { input: 25_000, output: 100 },
    holds: ({ exit, asked, files }) => exit !== 0 && asked < 5 && !files("out-20.txt"),
  },
  {
    name: "an answer that the budget cuts is no answer: the agent fails, and is not served again",
    asked: { tokens: 40_000 },
    calls: () => [],
    finish: "max_tokens",
    holds: ({ exit, asked }) => exit !== 0 && asked === 1,
  },
  {
    name: "a halt in the midst of an answer ends the agent with a failure",
    calls: (work) => [write(work)],
    isHalted: true,
    holds: ({ exit, asked, files }) => exit !== 0 && asked === 1 && !files("out-1.txt"),
  },
  {
    name: "fifty calls, one record",
    calls: (work) => Array.from({ length: 50 }, (_, index) => write(work, index)),
    holds: ({ exit, permits, files, asked }) =>
      exit === 0 && permits.length === 50 && files("out-49.txt") && asked === 51,
  },
];

/**
 * Real Claude Code, unchanged, driven by a scripted model through the model door (grade observed). All of it runs without a network
 * but loopback, telemetry and updates off.
 */
export async function agentConformance(): Promise<boolean> {
  const program = existsSync(native) ? native : claude;
  if (!existsSync(program)) {
    console.error("The agents are not installed: npm install --ignore-scripts --prefix test/agents");
    return false;
  }
  if (process.env[offline] !== "1") return withoutNetwork();
  let isGood = true;
  for (const each of cases) {
    const ran = await runCase(program, each);
    const holds = ran.isProved && each.holds(ran);
    isGood &&= holds;
    console.log(`${holds ? " " : "!"} ${each.name}${holds ? "" : `\n    ${JSON.stringify(ran)}`}`);
  }
  return isGood;
}

/** Begins again where only this machine can be reached, and not even that without asking loopback. */
function withoutNetwork(): boolean {
  const bwrap = ["--unshare-net", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc"];
  const line = [...process.execArgv, ...process.argv.slice(1)];
  const ran = spawnSync(bubblewrap, [...bwrap, process.execPath, ...line], {
    stdio: "inherit",
    env: { ...process.env, [offline]: "1" },
  });
  if (ran.error)
    console.error(`without bwrap nothing is tried, since an agent would have the network: ${ran.error.message}`);
  return ran.status === 0;
}

async function runCase(program: string, { asked, calls, usage, finish, isHalted }: Case): Promise<Ran> {
  const root = mkdtempSync(join(tmpdir(), "writ-agent-"));
  const [work, home] = [join(root, "work"), join(root, "home")];
  for (const each of [work, home]) mkdirSync(each);
  writeFileSync(join(work, "in.txt"), "hello\n");
  const door = await open("anthropic", { asked: { usd: 100, ...asked } });
  const script = calls(work);
  door.model.will((seen, response) => {
    const next = script[resultsIn(seen)];
    const said = {
      text: next ? "I go on." : "All done.",
      calls: next ? [next] : [],
      ...(usage ? { usage } : {}),
      ...(finish ? { finish } : {}),
    };
    const whole = messagesStream(said);
    if (!isHalted) return streams(whole, 64)(seen, response);
    hangsAfter(whole.slice(0, whole.indexOf("tool_use")))(seen, response);
    return void haltIn(door);
  });
  const { exit, said } = await start(program, { work, home, url: door.server.server.url, token: door.token });
  const { runtime } = door.server.workspace;
  const by = runtime.localCaller();
  if (by.ok) await runtime.keys.revoke(by.value, door.token_id, "done");
  await door.server.server.close(5_000);
  const events = await recorded(door.server);
  const proof = events[0] ? await runtime.verifySession(events[0].session_id as never) : undefined;
  const names = (type: string) => payloads(events, type).map(({ name }) => String(name));
  const ran = {
    exit,
    said: said.slice(-300),
    asked: door.model.seen.length,
    permits: names("foreign.permit"),
    refused: names("tool.refused"),
    // A halted session stays open: it ends once the halt is lifted.
    isProved: proof?.ok === true && (proof.closed || isHalted === true),
  };
  const left = new Set(
    ["out-1.txt", "out-20.txt", "out-49.txt", "ran.txt"].filter((name) => existsSync(join(work, name))),
  );
  await door[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
  return { ...ran, files: (name) => left.has(name) };
}

async function haltIn({ server }: Open): Promise<void> {
  const [start] = await recorded(server);
  await server.workspace.runtime.halt(start?.session_id as never, "tried");
}

function resultsIn({ text }: SeenBytes): number {
  return text.match(/"type":"tool_result"/g)?.length ?? 0;
}

function start(
  program: string,
  {
    work,
    home,
    url,
    token,
  }: { readonly work: string; readonly home: string; readonly url: string; readonly token: string },
): Promise<{ readonly exit: number | null; readonly said: string }> {
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: token,
    ANTHROPIC_MODEL: "test-model",
    ANTHROPIC_SMALL_FAST_MODEL: "test-model",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1",
  };
  return new Promise((resolve) => {
    const child = execFile(
      program,
      ["-p", "do it", "--dangerously-skip-permissions"],
      { cwd: work, env, timeout: 240_000 },
      (error, stdout, stderr) => resolve({ exit: error ? child.exitCode : 0, said: stdout + stderr }),
    );
    child.stdin?.end();
  });
}
