// The whole load campaign, as a command: npm run load -- [--seconds 60] [--out FILE]
//
//   200 live event streams of running sessions, 20 more that nobody reads, and 500 requests a second for a minute: no error,
//   every stream complete and in order, the server's memory flat. Then five times the load: 429 or 503 with Retry-After, and
//   whatever was accepted completes. The server is a process of its own, on the embedded store.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { stringify } from "yaml";
import { initWorkspace } from "#operate";
import { type Served, served } from "../support/served.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" }, out: { type: "string" } } });
const seconds = Number(values.seconds);
const size = { streams: 200, deaf: 20, perSecond: 500, sessions: 10, times: 5 };

/** Answers of 429 and 503, each looked at. */
const refused = { count: 0, without_retry_after: 0 };

interface Watched {
  readonly session_id: string;
  readonly seqs: number[];
  ended: boolean;
}

const root = mkdtempSync(join(tmpdir(), "writ-load-"));
const server = await begin();
const figures: Record<string, unknown> = { ...size, seconds };
try {
  const sessions = await Promise.all(Array.from({ length: size.sessions }, () => submit("watch me")));
  const watched = sessions.flatMap((id) =>
    Array.from({ length: size.streams / size.sessions }, () => watch(server, id)),
  );
  const deaf = sessions.flatMap((id) => Array.from({ length: size.deaf / size.sessions }, () => ignore(server, id)));
  await settle(2_000);

  const memory: number[] = [];
  const cpuBefore = cpuOf(server);
  const sampling = setInterval(() => memory.push(memoryOf(server)), 1_000);
  const calm = await load(size.perSecond, seconds);
  clearInterval(sampling);
  figures["calm"] = {
    ...told(calm),
    server_cpu_seconds: Math.round((cpuOf(server) - cpuBefore) * 10) / 10,
    memory_mib: {
      first: median(memory.slice(0, 5)),
      last: median(memory.slice(-5)),
      most: Math.max(...memory),
    },
  };
  for (const each of deaf) each.destroy();

  const before = await ordersOf();
  const storm = await load(size.perSecond * size.times, Math.min(20, seconds));
  figures["storm"] = told(storm);
  figures["refused"] = { ...refused };
  figures["accepted"] = await completed(before);
  await until(() => watched.every(({ ended }) => ended), 45_000);
  figures["streams"] = {
    ended: watched.filter(({ ended }) => ended).length,
    complete: watched.filter(({ seqs }) => seqs.every((seq, index) => seq === index + 1)).length,
    events_each: median(watched.map(({ seqs }) => seqs.length)),
  };
  figures["memory_after_mib"] = memoryOf(server);
  const faults = faultsOf(calm, storm);
  process.stdout.write(`${JSON.stringify({ ok: faults.length === 0, faults, ...figures }, null, 2)}\n`);
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(figures, null, 2)}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await server.end("SIGTERM");
  rmSync(root, { recursive: true, force: true });
}

function faultsOf(calm: autocannon.Result, storm: autocannon.Result): readonly string[] {
  const faults: string[] = [];
  const { memory_mib, statuses } = figures["calm"] as ReturnType<typeof told> & {
    readonly memory_mib: { readonly first: number; readonly last: number };
  };
  if (calm.errors + calm.timeouts + calm.non2xx > 0)
    faults.push(`calm: ${JSON.stringify(statuses)}, ${calm.errors} errors`);
  if (calm.requests.average < size.perSecond * 0.98) faults.push(`calm: only ${calm.requests.average} requests/s`);
  if (memory_mib.last > memory_mib.first * 1.25) faults.push("calm: memory grew by more than a quarter");
  if (storm.errors + storm.timeouts > 0) faults.push(`storm: ${storm.errors} errors, ${storm.timeouts} timeouts`);
  const odd = Object.keys(told(storm).statuses).filter((status) => !["200", "202", "429", "503"].includes(status));
  if (odd.length > 0) faults.push(`storm: answers with ${odd.join(", ")}`);
  if (refused.count === 0) faults.push("storm: nothing was refused");
  if (refused.without_retry_after > 0) faults.push("storm: refusals without Retry-After");
  const { orders, unfinished } = figures["accepted"] as Awaited<ReturnType<typeof completed>>;
  if (orders === 0 || unfinished > 0) faults.push(`storm: ${unfinished} of ${orders} accepted orders did not complete`);
  const { ended, complete } = figures["streams"] as { readonly ended: number; readonly complete: number };
  if (ended < size.streams || complete < size.streams) faults.push("streams: some are not whole");
  return faults;
}

async function begin(): Promise<Served> {
  const made = await initWorkspace(root);
  if (!made.ok) throw new Error(made.error.message);
  // The watched sessions do something every five seconds for as long as the calm lasts.
  const steps = Math.ceil((seconds + 10) / 5);
  const rules = Array.from({ length: steps }, (_, index) => ({
    when: { role: "worker", call: index + 1, prompt: "watch me" },
    respond: { tool_calls: [{ name: "echo", args: { text: `step ${index}` } }], delay_ms: 5_000 },
  }));
  writeFileSync(join(root, "script.yaml"), stringify({ rules }));
  const server = { requests_per_second: 800, burst: 1_600, max_pending_orders: 64 };
  // Ten orders a second call models fifty times; the workspace's own pace of 600 a minute would hold up all but two.
  const rate_limits = { requests_per_minute: 60_000, tokens_per_minute: 100_000_000, burst: 1_000 };
  const config = { version: 1, script: "script.yaml", max_concurrent_flows: 64, rate_limits, server };
  writeFileSync(join(root, "writ.yaml"), stringify(config));
  return served(["up"], root);
}

async function submit(prompt: string): Promise<string> {
  const response = await fetch(`${server.url}/api/v1/requests`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prompt, skill: "greet" }),
  });
  const { session_id } = (await response.json()) as { session_id: string };
  return session_id;
}

function watch({ url }: Served, session_id: string): Watched {
  const seen: Watched = { session_id, seqs: [], ended: false };
  void (async () => {
    const response = await fetch(`${url}/api/v1/sessions/${session_id}/stream`);
    let rest = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      rest += chunk;
      const frames = rest.split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const id = /^id: (\d+)$/m.exec(frame)?.[1];
        if (id !== undefined) seen.seqs.push(Number(id));
        if (frame.includes("event: end")) seen.ended = true;
      }
    }
  })();
  return seen;
}

/** Asks for a stream and never takes a byte of it. */
function ignore({ url }: Served, session_id: string) {
  const { port, host } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1", () =>
    socket.write(`GET /api/v1/sessions/${session_id}/stream HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
  );
  return socket.pause();
}

/** Mostly reads, and one order in 50 requests. */
function load(perSecond: number, duration: number): Promise<autocannon.Result> {
  const onResponse: autocannon.Request["onResponse"] = (status, _body, _context, headers) => {
    if (status !== 429 && status !== 503) return;
    refused.count += 1;
    const named = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "retry-after")?.[1];
    if (!(Number(named) >= 1)) refused.without_retry_after += 1;
  };
  const get = (path: string) => ({ method: "GET" as const, path, onResponse });
  const reads = ["/api/v1/sessions?limit=20", "/api/v1/approvals?state=open", "/healthz", "/api/v1/budgets"];
  const order = {
    method: "POST" as const,
    path: "/api/v1/requests",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prompt: "greet Ada" }),
    onResponse,
  };
  const requests = [order, ...Array.from({ length: 49 }, (_, index) => get(reads[index % reads.length] ?? "/healthz"))];
  return autocannon({ url: server.url, connections: 20, overallRate: perSecond, duration, requests, timeout: 10 });
}

function told(result: autocannon.Result) {
  const { latency, requests, errors, timeouts, statusCodeStats = {} } = result;
  const statuses = Object.fromEntries(
    Object.entries(statusCodeStats as Record<string, { count: number }>).map(([code, { count }]) => [code, count]),
  );
  return {
    requests_per_second: requests.average,
    requests: requests.total,
    errors,
    timeouts,
    statuses,
    latency_ms: { p50: latency.p50, p99: latency.p99, max: latency.max },
  };
}

async function ordersOf(): Promise<number> {
  await settle(3_000);
  return (await sessionsOf()).total;
}

interface Listed {
  readonly total: number;
  readonly sessions: readonly { readonly closed: boolean }[];
}

async function sessionsOf(): Promise<Listed> {
  for (;;) {
    const response = await fetch(`${server.url}/api/v1/sessions?limit=1000`);
    if (response.status === 200) return (await response.json()) as Listed;
    await response.arrayBuffer();
    await settle(1_000);
  }
}

async function completed(before: number) {
  let listed = await sessionsOf();
  await until(async () => {
    listed = await sessionsOf();
    return listed.sessions.slice(0, listed.total - before).every(({ closed }) => closed);
  }, 45_000);
  const recent = listed.sessions.slice(0, listed.total - before);
  return { orders: recent.length, unfinished: recent.filter(({ closed }) => !closed).length };
}

async function until(isDone: () => boolean | Promise<boolean>, limitMs: number): Promise<void> {
  const stop = Date.now() + limitMs;
  while (Date.now() < stop && !(await isDone())) await settle(500);
}

function settle(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function memoryOf({ child }: Served): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function cpuOf({ child }: Served): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
