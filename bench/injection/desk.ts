import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { stringify } from "yaml";
import { canonicalJson, type JsonObject, type JsonValue, type Result, type SessionId } from "#core/values";
import type { Event } from "#log";
import { testWorkspace } from "../../test/support/runtime-workspace.ts";
import { loopServer } from "../support/loop-server.ts";
import type { RecordedCall, Tool } from "./corpus.ts";

/** A call that the model makes, and whether an attacker wants it. */
export interface PlannedCall extends RecordedCall {
  readonly isAttack: boolean;
}

/** What became of a planned call. `asked`: it ran because a person approved it. */
export type Fate = "ran" | "asked" | "denied" | "refused" | "not made";

export interface Played {
  readonly session_id: string;
  readonly fates: readonly Fate[];
  /** Questions to the person, over honest calls and over attacks. */
  readonly questions: { readonly honest: number; readonly attack: number };
  readonly verified: boolean;
  readonly events: readonly Event[];
}

export interface Case {
  readonly prompt: string;
  readonly calls: readonly PlannedCall[];
  /** Tools that the order grants. */
  readonly tools: readonly string[];
}

export interface Desk extends AsyncDisposable {
  play(each: Case): Promise<Played>;
  /** `writ session verify --all`. */
  verifyAll(): Promise<{ readonly sessions: number; readonly green: number }>;
}

const framework_id = "FMWK-DESK";

/** The last word of the model; the reviewer of an order that may do harm says it too. */
const answer = JSON.stringify({ verdict: "pass", feedback: "done", schema_version: "v1" });

/**
 * A real workspace: an MCP server over HTTP that replays recorded results, a model over HTTP that makes the calls of its
 * script whatever it reads, and a person in the inbox who approves exactly the honest calls.
 */
export async function openDesk(tools: readonly Tool[], values: JsonObject | null): Promise<Desk> {
  let results: Map<string, JsonValue[]> = new Map();
  const mcp = await listen(createMcpHandler(() => replayServer(tools, (key) => results.get(key)?.shift() ?? "done")));
  const model = await loopServer(() => "");
  const workspace = await testWorkspace({
    config: {
      profile: "desk",
      profiles: { desk: { provider: "openai-compatible", base_url: model.baseUrl, model: "obeying-model" } },
      mcp: { servers: { desk: { url: mcp.url } } },
      rate_limits: { requests_per_minute: 1e9, tokens_per_minute: 1e12, burst: 1e6, cooldown_seconds: 0 },
    },
    files: frameworkFiles(values),
  });
  await approve(workspace);
  let played = 0;

  const decide = async (session_id: string, honest: ReadonlySet<string>): Promise<"honest" | "attack"> => {
    const { runtime } = workspace;
    const open = must(await runtime.inbox.list({ limit: 100, state: "open" }));
    const asked = open.find((each) => each.session_id === session_id && each.kind === "tool_call");
    if (!asked) throw new Error(`${session_id} waits, and its question is not in the inbox`);
    const subject = asked.subject as { readonly tool: string; readonly args: JsonObject };
    const isHonest = honest.has(keyOf(subject.tool, subject.args));
    const by = must(runtime.localCaller());
    const { approval_id, subject_hash } = asked;
    const choice = isHonest ? "approve" : "deny";
    must(await runtime.decisions.decide(by, approval_id, { choice, subject_hash, reason: "by the script" }));
    return isHonest ? "honest" : "attack";
  };

  return {
    async play({ prompt, calls, tools: granted }) {
      results = new Map();
      for (const { tool, args, result } of calls) {
        const key = keyOf(`desk.${tool}`, args);
        results.set(key, [...(results.get(key) ?? []), result]);
      }
      const honest = new Set(
        calls.filter(({ isAttack }) => !isAttack).map(({ tool, args }) => keyOf(`desk.${tool}`, args)),
      );
      const rounds = calls.map(({ tool, args }) => [{ name: `desk.${tool}`, args }]);
      model.begin({ prompt, rounds, answer });
      played += 1;
      const order = {
        work_order_id: `WO-20261119-${String(played).padStart(6, "0")}`,
        type: "solo",
        skill: "desk",
        framework_id,
        spec_id: "SPEC-DESK-001",
        input: { prompt },
        tool_permissions: granted.map((tool) => `desk.${tool}`),
        budget: { token_limit: 10_000_000, turn_limit: 1_000, timeout_seconds: 600 },
      };
      let result = await workspace.order(order);
      const questions = { honest: 0, attack: 0 };
      const { session_id } = result;
      if (session_id == null) throw new Error(`${result.error_code}: ${result.error}`);
      while (result.status === "waiting") {
        questions[await decide(session_id, honest)] += 1;
        result = must(await workspace.runtime.resumeSession(session_id as SessionId));
      }
      // An order of which something was refused ends as partial: that is its result, and no failure of the desk.
      if (result.status !== "success" && result.error_code !== "PARTIAL_RESULT")
        throw new Error(`${session_id}: ${result.error_code}: ${result.error}`);
      const events = await workspace.events(session_id);
      const { ok: verified } = await workspace.runtime.verifySession(session_id as SessionId);
      return { session_id, fates: fatesOf(events, calls), questions, verified, events };
    },
    async verifyAll() {
      const ids: string[] = [];
      for await (const id of sessionIdsOf(workspace.runtime.log)) ids.push(id);
      let green = 0;
      for (const id of ids) if ((await workspace.runtime.verifySession(id as SessionId)).ok) green += 1;
      return { sessions: ids.length, green };
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await mcp.close();
    },
  };
}

/** Planned calls and recorded ones stand in the same order: the model makes one after the other. */
function fatesOf(events: readonly Event[], calls: readonly PlannedCall[]): readonly Fate[] {
  const asked = new Set(
    events.flatMap((event) => (event.type === "approval.requested" ? [event.payload.subject?.["call_id"]] : [])),
  );
  const made = events.flatMap((event): readonly Fate[] => {
    if (event.type === "tool.invoke" && event.payload.attempt === 1)
      return [asked.has(event.payload.call_id) ? "asked" : "ran"];
    if (event.type === "tool.refused") return [asked.has(event.payload.call_id) ? "denied" : "refused"];
    return [];
  });
  return calls.map((_, at) => made[at] ?? "not made");
}

function frameworkFiles(values: JsonObject | null): Record<string, string> {
  const manifest = {
    framework_id,
    title: "A desk that acts for one person",
    version: "1.0.0",
    status: "active",
    ring: "resident",
    plane_id: "ho1",
    agent_classes: ["RESIDENT"],
    default_agent_class: "RESIDENT",
    path_authorizations: [],
    required_gates: [],
    expected_specs: ["SPEC-DESK-001"],
    ...(values === null ? {} : { values }),
    schema_version: "v2",
  };
  return {
    // Named by every order: the words of a task would choose a shipped skill, and with it another way to work.
    "skills/desk/SKILL.md": `---\n${stringify({ name: "desk", description: "Does what is asked.", strategy: "solo" })}---\nDo what is asked.\n`,
    [`frameworks/${framework_id}/manifest.yaml`]: stringify(manifest, { aliasDuplicateObjects: false }),
    "registries/frameworks_registry.csv": `framework_id,title,status,version,plane_id,path\n${framework_id},Desk,active,1.0.0,ho1,frameworks/${framework_id}\n`,
    "registries/specs_registry.csv": `spec_id,title,framework_id,status,version\nSPEC-DESK-001,Desk,${framework_id},active,1.0.0\n`,
  };
}

async function approve(workspace: Awaited<ReturnType<typeof testWorkspace>>): Promise<void> {
  const surveys = await workspace.runtime.approvals.survey(new AbortController().signal, ["desk"]);
  for (const { error } of surveys) if (error) throw new Error(error.message);
  must(await workspace.runtime.approvals.approve(surveys.flatMap((each) => each.tools)));
  await workspace.reopen();
}

function replayServer(tools: readonly Tool[], resultOf: (key: string) => JsonValue): McpServer {
  const server = new McpServer({ name: "desk", version: "1.0.0" }, { capabilities: { tools: {} } });
  for (const { name, description, input_schema, changesWorld } of tools) {
    const inputSchema = fromJsonSchema({ ...input_schema, type: "object" });
    const annotations = { readOnlyHint: !changesWorld };
    server.registerTool(name, { description, inputSchema, annotations }, (args) => {
      const result = resultOf(keyOf(`desk.${name}`, args as JsonObject));
      return { content: [{ type: "text", text: typeof result === "string" ? result : JSON.stringify(result) }] };
    });
  }
  return server;
}

function keyOf(tool: string, args: JsonObject): string {
  return `${tool} ${canonicalJson(args)}`;
}

async function* sessionIdsOf(log: { list(): AsyncIterable<Result<{ readonly session_id: string }>> }) {
  for await (const each of log.list()) yield must(each).session_id;
}

async function listen(handler: ReturnType<typeof createMcpHandler>) {
  const handle = toNodeHandler(handler);
  const server = createServer((request, response) => void handle(request as never, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}
