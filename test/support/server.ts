import { type Clock, systemClock, systemRandom } from "#core/values";
import { type OpenKernel } from "#runs";
import { type Runtime } from "../../src/main/parts.ts";
import { type ServerLimits, type ServerOptions, startServer } from "../../src/main/server/start-server.ts";
import { openKernel } from "../../src/runs/open-kernel.ts";
import { type Server } from "../../src/surface/http/create-server.ts";
import { type Authenticator } from "../../src/surface/http/security/authenticate.ts";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions } from "./runtime-workspace.ts";

export interface TestServer extends AsyncDisposable {
  readonly workspace: TestWorkspace;
  readonly server: Server;
  readonly problems: string[];
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Server-sent events until `count` came, or the stream ended; each is told as it comes. */
  events(
    path: string,
    count: number,
    headers?: Record<string, string>,
    onFrame?: (frame: Frame) => void,
  ): Promise<readonly Frame[]>;
}

/** Tests look into answers of every shape. */
type Parsed = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Parsed;
  readonly text: string;
}

export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Parsed;
}

export interface TestServerOptions extends WorkspaceOptions {
  readonly limits?: Partial<ServerLimits>;
  /** Everybody needs a key. */
  readonly keysOnly?: boolean;
  readonly authenticator?: Authenticator;
  readonly studio?: string;
  readonly serverClock?: Clock;
  /** The kernel as the server is to see it. */
  readonly kernelSeen?: (kernel: OpenKernel) => OpenKernel;
  /** What MCP clients are offered beside Writ's own. */
  readonly mcpSeen?: ServerOptions["mcpSeen"];
  /** The runtime as the server is to see it. */
  readonly runtimeSeen?: (runtime: Runtime) => Runtime;
}

const limits: ServerLimits = {
  bodyBytes: 64 * 1024,
  requestsPerSecond: 10_000,
  burst: 10_000,
  callerShare: 0.25,
  maxStreams: 300,
  maxPendingOrders: 100,
  requestSeconds: 10,
};

/** A real workspace behind a real server on a port of its own. */
export async function testServer(options: TestServerOptions = {}): Promise<TestServer> {
  const workspace = await testWorkspace(options);
  const { runtime, root } = workspace;
  const kernel = await openKernel({ root, clock: systemClock, random: systemRandom });
  if (!kernel.ok) throw new Error(kernel.error.message);
  const problems: string[] = [];
  const byKey = (key: string) => runtime.keys.authenticate(key);
  const started = await startServer({
    runtime: options.runtimeSeen?.(runtime) ?? runtime,
    kernel: options.kernelSeen?.(kernel.value) ?? kernel.value,
    clock: options.serverClock ?? systemClock,
    version: "test",
    host: "127.0.0.1",
    port: 0,
    authenticator:
      options.authenticator ?? (options.keysOnly ? { byKey } : { byKey, local: () => runtime.localCaller() }),
    studio: options.studio ?? "/nowhere",
    allowedHosts: [],
    limits: { ...limits, ...options.limits },
    mcpSeen: options.mcpSeen,
    onProblem: (message) => problems.push(message),
  });
  if (!started.ok) throw new Error(started.error.message);
  const server = started.value;
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${server.url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };
  return {
    workspace,
    server,
    problems,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: "POST",
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    async events(path, count, headers = {}, onFrame = () => undefined) {
      const abort = new AbortController();
      const response = await fetch(`${server.url}${path}`, { headers, signal: abort.signal });
      const frames: Frame[] = [];
      let rest = "";
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        rest += chunk;
        const parts = rest.split("\n\n");
        rest = parts.pop() ?? "";
        for (const part of parts.filter((text) => !text.startsWith(":"))) {
          frames.push(frameOf(part));
          onFrame(frameOf(part));
        }
        if (frames.length >= count) break;
      }
      abort.abort();
      return frames.slice(0, count);
    },
    async [Symbol.asyncDispose]() {
      await server.close(2_000);
      await kernel.value.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

function frameOf(text: string): Frame {
  const fields = Object.fromEntries(text.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return { event: fields["event"] ?? "message", id: fields["id"], data: JSON.parse(fields["data"] ?? "null") };
}
