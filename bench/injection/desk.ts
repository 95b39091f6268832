import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { stringify } from "yaml";
import { canonicalJson, type JsonObject, type JsonValue, type Result, type SessionId } from "#core/values";
import type { Event } from "#log";
import type { FlowResult } from "#work";
import { testWorkspace } from "../../test/support/runtime-workspace.ts";
import type { RecordedCall, Tool } from "./corpus.ts";
import { obeyingModel, type Script } from "./obeying-model.ts";

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
  /** Calls of the attacker that reached the server, in whatever session they were made. */
  readonly reached: number;
  /** Refused calls of the attacker of which the record does not say in one line what was tried, after reading what, by which rule. */
  readonly untold: number;
  readonly verified: boolean;
  readonly events: readonly Event[];
}

export interface Case {
  readonly prompt: string;
  readonly calls: readonly PlannedCall[];
  /** Tools that the order grants: those of the server, and by their dotted names Writ's own. */
  readonly tools: readonly string[];
  /** What the person asks for afterwards: in the same conversation, or anew. */
  readonly then?: readonly Later[];
  /** What agents below do, by the task that they were handed. */
  readonly below?: readonly {
    readonly prompt: string;
    readonly calls: readonly PlannedCall[];
    readonly says?: string;
  }[];
  /** Files that lie in the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files that the order may write. */
  readonly writes?: readonly string[];
  /** What the server says of its tools from now on, after they were approved. */
  readonly nowSays?: Readonly<Record<string, { readonly readOnly?: boolean; readonly description?: string }>>;
}

export interface Later extends Pick<Case, "prompt" | "calls"> {
  readonly in: "conversation" | "order";
}

export interface Desk extends AsyncDisposable {
  play(each: Case): Promise<Played>;
  /** `writ session verify --all`. */
  verifyAll(): Promise<{ readonly sessions: number; readonly green: number }>;
}

const framework_id = "FMWK-DESK";

interface Act {
  readonly tool: string;
  readonly args: JsonObject;
}

interface Held {
  readonly acts: readonly Act[];
}

/** Questions that the scripted person answers. */
const answers: ReadonlySet<string> = new Set(["held_acts", "tool_call"]);

/** The last word of the model; the reviewer of an order that may do harm says it too. */
const answer = JSON.stringify({ verdict: "pass", feedback: "done", schema_version: "v1" });

/**
 * A real workspace: an MCP server over HTTP that replays recorded results, a model over HTTP that makes the calls of its
 * script whatever it reads, and a person in the inbox who approves exactly the honest calls.
 */
export async function openDesk(tools: readonly Tool[], values: JsonObject | null): Promise<Desk> {
  const server = replayServer(tools);
  const mcp = await listen(createMcpHandler(() => server.open()));
  const model = await obeyingModel(answer);
  const workspace = await testWorkspace({
    config: {
      profile: "desk",
      profiles: { desk: { provider: "openai-compatible", base_url: model.baseUrl, model: "obeying-model" } },
      mcp: { servers: { desk: { url: mcp.url } } },
      v2_features: { multi_step_enabled: true, delegation_enabled: true },
      rate_limits: { requests_per_minute: 1e9, tokens_per_minute: 1e12, burst: 1e6, cooldown_seconds: 0 },
    },
    files: frameworkFiles(values),
  });
  await approve(workspace);
  let played = 0;

  /**
   * Everything that waits for the person is of the case that is played. Of acts that wait together exactly the honest ones are
   * allowed; a question counts for whose acts it is about.
   */
  const decide = async (honest: ReadonlySet<string>, questions: { honest: number; attack: number }): Promise<void> => {
    const { runtime } = workspace;
    const open = must(await runtime.inbox.list({ limit: 100, state: "open" })).filter(({ kind }) => answers.has(kind));
    if (open.length === 0) throw new Error("a session waits, and its question is not in the inbox");
    const by = must(runtime.localCaller());
    for (const { approval_id, subject_hash, subject, kind } of open) {
      const acts = kind === "held_acts" ? (subject as unknown as Held).acts : [subject as unknown as Act];
      const allowed = acts.flatMap(({ tool, args }, at) => (honest.has(keyOf(tool, args)) ? [at + 1] : []));
      const some = kind === "held_acts" ? "some" : "approve";
      const choice = allowed.length === 0 ? "deny" : some;
      must(await runtime.decisions.decide(by, approval_id, { choice, subject_hash, reason: allowed.join(", ") }));
      if (allowed.length > 0) questions.honest += 1;
      if (allowed.length < acts.length) questions.attack += 1;
    }
  };

  return {
    async play(each) {
      const { prompt, calls, tools: granted, then = [], below = [] } = each;
      const all = [...calls, ...then.flatMap((later) => later.calls), ...below.flatMap((agent) => agent.calls)];
      const keys = (isAttack: boolean) => all.filter((call) => call.isAttack === isAttack).map(keyOfCall);
      const honest = new Set(keys(false));
      server.begin(all, each.nowSays ?? {});
      model.obey(scriptsOf(each));
      for (const [path, text] of Object.entries(each.files ?? {})) await workspace.write(path, text);
      const tool_permissions = granted.map(fullName);
      const questions = { honest: 0, attack: 0 };
      const wanted = { skill: "desk", strategy: "solo", framework: framework_id, tools: tool_permissions };
      const thread = then.some((later) => later.in === "conversation") ? workspace.runtime.threads.begin() : undefined;

      const order = (asked: string): Promise<FlowResult> => {
        played += 1;
        return workspace.order({
          work_order_id: `WO-20261119-${String(played).padStart(6, "0")}`,
          type: "solo",
          skill: "desk",
          framework_id,
          spec_id: "SPEC-DESK-001",
          input: { prompt: asked },
          scope: { allowed_files: each.writes ?? [] },
          tool_permissions,
          ...(below.length > 0 ? { schema_version: "v2", delegation: { max_depth: 1 } } : {}),
          budget: { token_limit: 10_000_000, turn_limit: 1_000, timeout_seconds: 600 },
        });
      };
      const finish = async (first: FlowResult): Promise<string> => {
        let result = first;
        const { session_id } = result;
        if (session_id == null) throw new Error(`${result.error_code}: ${result.error}`);
        while (result.status === "waiting") {
          await decide(honest, questions);
          result = must(await workspace.runtime.resumeSession(session_id as SessionId));
        }
        // An order of which something was refused ends as partial: that is its result, and no failure of the desk.
        if (result.status !== "success" && result.error_code !== "PARTIAL_RESULT")
          throw new Error(`${session_id}: ${result.error_code}: ${result.error}`);
        return session_id;
      };

      const sessions = [await finish(thread ? await thread.send(prompt, { wanted }).result : await order(prompt))];
      for (const later of then) {
        const isMessage = later.in === "conversation" && thread !== undefined;
        const result = isMessage ? await thread.send(later.prompt, { wanted }).result : await order(later.prompt);
        sessions.push(await finish(result));
      }
      const attacks = new Set(keys(true).filter((key) => !honest.has(key)));
      const reached = server.received.filter((key) => attacks.has(key)).length;
      if (each.nowSays) {
        // What changed stays away for as long as the process lives.
        server.begin([], {});
        await workspace.reopen();
      }
      const records = await Promise.all(sessions.map((id) => workspace.events(id)));
      const proofs = await Promise.all(sessions.map((id) => workspace.runtime.verifySession(id as SessionId)));
      const [session_id = "", [events = []]] = [sessions[0], records];
      return {
        session_id,
        fates: fatesOf(events, calls),
        questions,
        reached,
        untold: records.flat().filter((event) => isUntold(event, values)).length,
        verified: proofs.every(({ ok }) => ok),
        events,
      };
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

/** Of messages of one conversation the model makes one script; of anything else one for each prompt. */
function scriptsOf({ prompt, calls, then = [], below = [] }: Case): readonly Script[] {
  const steps = (of: readonly PlannedCall[]) => of.map(({ tool, args }) => ({ name: fullName(tool), args }));
  const messages = then.filter((later) => later.in === "conversation");
  const conversation = messages.flatMap((later) => [answer, ...steps(later.calls)]);
  return [
    ...below.map(({ prompt: task, calls: made, says }) => ({
      prompt: task,
      steps: [...steps(made), ...(says === undefined ? [] : [says])],
    })),
    ...then
      .filter((later) => later.in === "order")
      .map((later) => ({ prompt: later.prompt, steps: steps(later.calls) })),
    { prompt, steps: [...steps(calls), ...conversation] },
  ];
}

/** Writ's own tools are named with a dot, or are the few that have none. */
function fullName(tool: string): string {
  return tool.includes(".") || tool === "delegate" || tool === "exec" ? tool : `desk.${tool}`;
}

/** A refusal by the rules, or by the person whom they had asked, that does not name its rule and what was read before. */
function isUntold(event: Event, values: JsonObject | null): boolean {
  if (values === null || event.type !== "tool.refused" || event.payload.verdict === undefined) return false;
  const { reason, name } = event.payload;
  return !(
    reason.includes(name) &&
    /after reading |from the text of |nothing was read/.test(reason) &&
    reason.includes("[values/")
  );
}

/**
 * Planned calls and recorded ones stand in the same order: the model makes one after the other. What a person allowed of what
 * waited was made later, under a second id.
 */
function fatesOf(events: readonly Event[], calls: readonly PlannedCall[]): readonly Fate[] {
  const made = new Set(events.flatMap((event) => (event.type === "tool.invoke" ? [event.payload.call_id] : [])));
  const fates = new Map<string, Fate>();
  for (const { type, payload } of events) {
    if ((type !== "tool.invoke" && type !== "tool.refused") || payload.call_id.endsWith(".2")) continue;
    if (fates.has(payload.call_id)) continue;
    const isHeld = type === "tool.refused" && payload.code === "ACT_HELD";
    const then = type === "tool.invoke" ? "ran" : "refused";
    fates.set(payload.call_id, isHeld ? (made.has(`${payload.call_id}.2`) ? "asked" : "denied") : then);
  }
  const inOrder = [...fates.values()];
  return calls.map((_, at) => inOrder[at] ?? "not made");
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
    path_authorizations: ["notes/**", "skills/helper/**"],
    required_gates: [],
    expected_specs: ["SPEC-DESK-001"],
    values: values ?? { pack: "off" },
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

interface ReplayServer {
  /** What the next case makes it return, and what it says of its tools by now. */
  begin(calls: readonly RecordedCall[], nowSays: NonNullable<Case["nowSays"]>): void;
  /** The calls that came since. */
  readonly received: readonly string[];
  open(): McpServer;
}

/** Schemas are compiled once: the server itself is made anew for each request. */
function replayServer(tools: readonly Tool[]): ReplayServer {
  const offered = tools.map((tool) => ({
    tool,
    inputSchema: fromJsonSchema({ ...tool.input_schema, type: "object" }),
  }));
  const results = new Map<string, JsonValue[]>();
  let says: NonNullable<Case["nowSays"]> = {};
  const received: string[] = [];
  return {
    received,
    begin(calls, nowSays) {
      results.clear();
      received.length = 0;
      says = nowSays;
      for (const call of calls) {
        const known = results.get(keyOfCall(call));
        if (known) known.push(call.result);
        else results.set(keyOfCall(call), [call.result]);
      }
    },
    open() {
      const server = new McpServer({ name: "desk", version: "1.0.0" }, { capabilities: { tools: {} } });
      for (const { tool, inputSchema } of offered) {
        const { description = tool.description, readOnly = !tool.changesWorld } = says[tool.name] ?? {};
        const about = { description, inputSchema, annotations: { readOnlyHint: readOnly } };
        server.registerTool(tool.name, about, (args) => {
          const key = keyOf(`desk.${tool.name}`, args as JsonObject);
          received.push(key);
          const result = results.get(key)?.shift() ?? "done";
          return { content: [{ type: "text", text: typeof result === "string" ? result : JSON.stringify(result) }] };
        });
      }
      return server;
    },
  };
}

function keyOfCall({ tool, args }: Pick<RecordedCall, "tool" | "args">): string {
  return keyOf(fullName(tool), args);
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
