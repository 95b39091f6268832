import type { Client, Transport } from "@modelcontextprotocol/client";
import { type DomainError, domainError, messageOf } from "#core/errors";
import type { ProgramTier } from "#core/machine";
import { type Clock, err, isJsonObject, type JsonObject, ok, type Result } from "#core/values";
import type { UnshownFile } from "#governance/mandate";
import type { McpServerSpec } from "#workspace";
import type { UnkeptWrites } from "../programs/unkept-writes.ts";
import type { ToolProgress } from "../tools/tool.ts";
import { StdioTransport } from "./adapters/stdio-transport.ts";
import type { AnswerQuestions } from "./ask-person.ts";
import { awaitTask, isOnlyTask, takeUpTask, taskIn } from "./await-task.ts";
import { callInRounds } from "./call-rounds.ts";
import type { CallsUnderWay } from "./calls-under-way.ts";
import type { ResourceUpdates } from "./resource-updates.ts";
import { logLevelField, type ServerLog } from "./server-logs.ts";

/** One connection to one server. Everything that it returns is untrusted. */
export interface McpConnection {
  /** `legacy` before revision 2026-07-28, `modern` since. */
  readonly era: string;
  readonly protocolVersion: string;
  /** Arguments of calls are also sent as headers, where a tool asks for that. */
  readonly mirrors: boolean;
  /** Of a program: the isolation that it runs in. */
  readonly tier: ProgramTier | undefined;
  /** True after a request failed because the server is gone or no longer knows this session. */
  readonly isLost: boolean;
  /** Of a program: agents wrote what it would not be shown if it started now. */
  readonly isStale: boolean;
  /** All pages of its tools, unchanged. */
  listTools(timeoutMs: number): Promise<Result<readonly unknown[]>>;
  callTool(call: McpCall): Promise<Result<unknown>>;
  /** All pages of a list, unchanged; empty where the server has none of that kind. */
  list(what: "resources" | "prompts", signal: AbortSignal): Promise<Result<readonly unknown[]>>;
  read(asked: McpReading, onQuestions: AnswerQuestions, signal: AbortSignal): Promise<Result<unknown>>;
  /** Of a program: what agents wrote and it is not shown. */
  unshown(): readonly UnshownFile[];
  /** Whether a resource is watched: what is read from here on holds until `onUpdate` is called. */
  watch(uri: string, onUpdate: () => void): Promise<boolean>;
  /** Of a program: what it changed in the workspace without a right to. */
  unkept(): UnkeptWrites;
  /** Uses it for no further call: the next one starts the server anew. */
  abandon(): void;
  /** Closes the connection as soon as no call is under way, so that calls that have begun can still be answered. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

export type McpReading =
  | { readonly method: "resources/read"; readonly params: { readonly uri: string } }
  | {
      readonly method: "prompts/get";
      readonly params: { readonly name: string; readonly arguments: Readonly<Record<string, string>> };
    };

export interface McpCall {
  readonly definition: JsonObject;
  readonly args: JsonObject;
  readonly meta: JsonObject;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Answers what the server asks before it goes on. */
  readonly onQuestions: AnswerQuestions;
  /** Called with what the server logs meanwhile. */
  readonly onLog?: ((log: ServerLog) => void) | undefined;
  /** A task that an earlier attempt was answered with: it is asked after, and nothing is called. */
  readonly task_id?: string | undefined;
  /** Records the task that the server answers with. It is waited for only after that. */
  readonly onTask: (task_id: string) => Promise<Result<unknown>>;
}

export interface SpeakOptions {
  readonly sdk: typeof import("@modelcontextprotocol/client");
  readonly client: Client;
  readonly transport: Transport;
  readonly spec: McpServerSpec;
  /** The workspace. */
  readonly root: string;
  /** Called when the server at an address is gone, or restarted and no longer knows this session. */
  readonly onLost: (connection: McpConnection) => void;
  readonly clock: Clock;
  readonly calls: CallsUnderWay;
  readonly updates: ResourceUpdates;
  /** Called when the server wants a wider login; answers with how to get one. */
  readonly onScopeWanted: (scope: string | undefined) => Promise<DomainError>;
}

const maxPages = 50;
const maxItems = 20_000;
const maxListBytes = 32 * 1024 * 1024;
/** Reports of progress that one call passes on, and the length of a message in them. */
const maxReports = 1_000;
const maxReportWords = 500;

/** Accepts a result unchanged: the pin covers the whole object as received, so the SDK must not strip fields from it. */
const asItCame = {
  "~standard": { version: 1 as const, vendor: "writ", validate: (value: unknown) => ({ value }) },
};

/** The connection after the handshake. */
export function speak(options: SpeakOptions): McpConnection {
  const { client, spec, sdk, clock, calls } = options;
  const modernHttp = client.getProtocolEra() === "modern" && spec.transport.kind === "http";
  let isRetired = false;
  let isLost = false;
  const failed = async (thrown: unknown): Promise<Result<never>> => {
    if (thrown instanceof sdk.InsufficientScopeError) return err(await options.onScopeWanted(thrown.requiredScope));
    const failure = failureOf(thrown, options);
    if (failure.isLost) {
      isLost = true;
      options.onLost(connection);
    }
    return err(failure.error);
  };
  const pages = async (
    what: "tools" | "resources" | "prompts",
    limits: object,
  ): Promise<Result<readonly unknown[]>> => {
    if (!client.getServerCapabilities()?.[what]) return ok([]);
    const found: unknown[] = [];
    let bytes = 0;
    let cursor: string | undefined;
    try {
      for (let page = 0; page < maxPages; page += 1) {
        const params = cursor === undefined ? {} : { cursor };
        const result = await client.request({ method: `${what}/list`, params }, asItCame, limits);
        if (!isJsonObject(result) || !Array.isArray(result[what]))
          return err(domainError("TOOL_ERROR", `the MCP server "${spec.name}" gave no list of ${what}`));
        found.push(...(result[what] as unknown[]));
        bytes += page === 0 && result["nextCursor"] === undefined ? 0 : JSON.stringify(result[what]).length;
        if (found.length > maxItems || bytes > maxListBytes)
          return err(domainError("TOOL_ERROR", `the list of ${what} of "${spec.name}" is too long`));
        const next = result["nextCursor"];
        if (typeof next !== "string" || next === "") return ok(found);
        cursor = next;
      }
      return err(domainError("TOOL_ERROR", `the list of ${what} of "${spec.name}" has no end`));
    } catch (thrown) {
      return failed(thrown);
    }
  };
  /** A request that the server may ask about before it carries it out. Until it is answered, the connection stays open. */
  const whileAsked = async (
    { onQuestions, onLog, signal }: Pick<McpCall, "onQuestions" | "onLog" | "signal">,
    work: (signal: AbortSignal) => Promise<Result<unknown>>,
  ): Promise<Result<unknown>> => {
    const call = calls.begin(onQuestions, onLog);
    try {
      return await work(AbortSignal.any([signal, call.signal]));
    } catch (thrown) {
      const stopped = call.why();
      return stopped ? err(stopped) : await failed(thrown);
    } finally {
      call.end();
      if (isRetired && calls.count === 0) await client.close();
    }
  };
  const hearsLogs = client.getProtocolEra() === "modern" && client.getServerCapabilities()?.logging !== undefined;
  const wantedLogs =
    hearsLogs && spec.logLevel !== undefined && spec.logLevel !== "off" ? { [logLevelField]: spec.logLevel } : {};
  const connection: McpConnection = {
    era: client.getProtocolEra() ?? "legacy",
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "unknown",
    mirrors: modernHttp,
    tier: options.transport instanceof StdioTransport ? options.transport.tier : undefined,
    get isLost() {
      return isLost;
    },
    get isStale() {
      return options.transport instanceof StdioTransport && options.transport.isStale;
    },
    listTools: (timeoutMs) => pages("tools", { timeout: timeoutMs }),
    callTool: (call) =>
      whileAsked(call, async (signal) => {
        const { definition, args, meta, timeoutMs, onProgress, onQuestions, task_id } = call;
        const isTask = client.getProtocolEra() === "legacy" && isOnlyTask(definition);
        const name = definition["name"] as string;
        const task = isTask ? { task: { ttl: timeoutMs } } : {};
        const params = { name, arguments: { ...args }, _meta: { ...meta, ...wantedLogs }, ...task };
        const progress = onProgress ? { onprogress: bounded(onProgress) } : {};
        const limits = { timeout: timeoutMs, signal, allowInputRequired: true as const, ...progress };
        // Only on this transport are arguments also sent as headers; the SDK makes them.
        const isMirrored = modernHttp && JSON.stringify(definition["inputSchema"]).includes('"x-mcp-header"');
        const { outputSchema: _, ...toolDefinition } = definition;
        const send = (added: JsonObject): Promise<unknown> =>
          isMirrored
            ? client.callTool({ ...params, ...added }, { ...limits, toolDefinition: toolDefinition as never })
            : client.request({ method: "tools/call", params: { ...params, ...added } }, asItCame, limits);
        const request = (method: string, asked: JsonObject, stop: AbortSignal) =>
          client.request({ method, params: asked }, asItCame, { timeout: timeoutMs, signal: stop });
        const mayPass = (thrown: unknown) => spec.transport.kind === "http" && !(thrown instanceof sdk.ProtocolError);
        const { onTask } = call;
        const awaited = { server: spec.name, request, mayPass, onQuestions, onProgress, clock, signal, onTask };
        if (task_id !== undefined) return takeUpTask(task_id, { ...awaited, hasResultMethod: isTask });
        const answered = await callInRounds({ send, onQuestions, clock, signal, server: spec.name });
        const begun = answered.ok ? taskIn(answered.value) : undefined;
        return begun ? awaitTask(begun, { ...awaited, hasResultMethod: isTask }) : answered;
      }),
    list: (what, signal) => pages(what, { timeout: spec.startTimeoutMs, signal }),
    read: ({ method, params }, onQuestions, signal) =>
      whileAsked({ onQuestions, signal }, (stop) => {
        const limits = { timeout: spec.startTimeoutMs, signal: stop, allowInputRequired: true as const };
        const send = (added: JsonObject): Promise<unknown> =>
          client.request({ method, params: { ...params, ...added } }, asItCame, limits);
        return callInRounds({ send, onQuestions, clock, signal: stop, server: spec.name });
      }),
    unshown: () => (options.transport instanceof StdioTransport ? options.transport.unshown : []),
    watch: (uri, onUpdate) => options.updates.watch(uri, onUpdate),
    unkept: () => (options.transport instanceof StdioTransport ? options.transport.unkept() : new Map()),
    abandon() {
      if (!isLost) options.onLost(connection);
      isLost = true;
    },
    async retire() {
      isRetired = true;
      if (calls.count === 0) await client.close();
    },
    async close() {
      await client.close();
    },
  };
  return connection;
}

function bounded(report: NonNullable<McpCall["onProgress"]>): NonNullable<McpCall["onProgress"]> {
  let reports = 0;
  return ({ message, ...progress }) => {
    reports += 1;
    if (reports > maxReports) return;
    report({
      ...progress,
      ...(message === undefined ? {} : { message: message.slice(0, maxReportWords).toWellFormed() }),
    });
  };
}

interface Failure {
  readonly error: DomainError;
  readonly isLost: boolean;
}

/** The failure as a domain error; the server's own message is quoted. */
function failureOf(thrown: unknown, { sdk, transport, spec }: SpeakOptions): Failure {
  const errorOf = (code: "TOOL_ERROR" | "TOOL_TIMEOUT", message: string, more: { retryable?: true } = {}) =>
    domainError(code, `the MCP server "${spec.name}" ${message}`, { ...more, cause: thrown });
  const ended = transport instanceof StdioTransport ? transport.ended : undefined;
  if (ended !== undefined) return { error: errorOf("TOOL_ERROR", `ended before it answered: ${ended}`), isLost: false };
  const message = messageOf(thrown).slice(0, 1000).toWellFormed();
  if (thrown instanceof sdk.SdkError && thrown.code === sdk.SdkErrorCode.RequestTimeout)
    return { error: errorOf("TOOL_TIMEOUT", "did not answer in time"), isLost: false };
  // By the protocol a server answers 404 for a session that it no longer knows, and does not carry out the request.
  if (transport.sessionId !== undefined && thrown instanceof sdk.SdkHttpError && thrown.status === 404)
    return {
      error: errorOf("TOOL_ERROR", "began anew and did not take the request; the next one greets it again", {
        retryable: true,
      }),
      isLost: true,
    };
  // A lost program has ended; the check of `ended` above handles it.
  const isLost = spec.transport.kind === "http" && !(thrown instanceof sdk.ProtocolError);
  return { error: errorOf("TOOL_ERROR", `answered with an error: ${message}`), isLost };
}
