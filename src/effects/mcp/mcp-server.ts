import { type DomainError, domainError, messageOf } from "#core/errors";
import type { ProgramTier } from "#core/machine";
import { type Answer, err, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import type { McpServerSpec } from "#workspace";
import type { ToolProgress } from "../tools/tool.ts";
import type { CallAsTurn } from "../turns/server-turns.ts";
import { type AnswerQuestions, dismissed } from "./ask-person.ts";
import { OfferLooks } from "./look-at-offer.ts";
import type { ToolPin } from "./pin.ts";
import { PinJudge } from "./pin-judge.ts";
import { isLowered, readCallResult } from "./read-result.ts";
import { type AskedPrompt, type McpListed, type ReadText, readSources } from "./read-sources.ts";
import { ServerConnection, type ServerConnectionOptions } from "./server-connection.ts";
import type { ServerLog } from "./server-logs.ts";
import type { ServedSession } from "./server-program.ts";
import type { SessionServers } from "./session-servers.ts";
import { missingRight, nothingKept, unshownIn } from "./start-failure.ts";
import type { Offer } from "./wire-tool.ts";

/** A declared server, started on first use. */
export interface McpServer {
  readonly spec: McpServerSpec;
  /** Of a server that sees the workspace: a session has a process of its own where it writes, or may not read all of that. */
  readonly inSessions?: InSessions | undefined;
  /** Patterns of the workspace that its program sees. */
  seen(): readonly string[];
  /** The tools that it offers now; starts the server. */
  offer(signal?: AbortSignal): Promise<Result<Offer>>;
  /** Whether the tool is the approved one, by a tool list that was requested after this call. */
  check(pin: ToolPin, signal?: AbortSignal): Promise<Result<void>>;
  /** Calls a tool that was just checked. */
  call(pin: ToolPin, call: McpToolCall): Promise<Result<JsonValue>>;
  /** What it has to read, all pages. Starts the server. */
  resources(signal: AbortSignal): Promise<Result<readonly McpListed[]>>;
  prompts(signal: AbortSignal): Promise<Result<readonly McpListed[]>>;
  readResource(uri: string, signal: AbortSignal): Promise<Result<readonly ReadText[]>>;
  getPrompt(asked: AskedPrompt, signal: AbortSignal): Promise<Result<readonly ReadText[]>>;
  /** Why the tool may not be called, as far as that is known without a request to the server. */
  refusal(pin: ToolPin): DomainError | undefined;
  close(): Promise<void>;
}

export interface McpToolCall {
  readonly args: JsonObject;
  readonly meta: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Gets the isolation that the server's program runs in. */
  readonly onTier?: ((tier: ProgramTier) => void) | undefined;
  readonly onLowered?: (() => void) | undefined;
  /** Answers what the server asks of a person before it goes on. */
  readonly onQuestions?: AnswerQuestions;
  /** The task that an earlier attempt was answered with. */
  readonly task_id?: string | undefined;
  /** Called with what the server logs meanwhile. */
  readonly onLog?: (log: ServerLog) => void;
  /** Records a task that the server answers with. */
  readonly onTask?: (task_id: string) => Promise<Result<unknown>>;
}

export interface InSessions {
  /** Whether the calls of a session go to a process of its own. */
  readonly serves: (session: Pick<ServedSession, "mandate">) => boolean;
  readonly servers: SessionServers<McpServer>;
  readonly callAsTurn: CallAsTurn;
}

export interface McpServerOptions extends ServerConnectionOptions {
  /** Whether the approval is still in force: a person may have revoked it since this process began. */
  readonly isApproved: (pin: ToolPin) => Answer<boolean>;
  readonly inSessions?: InSessions | undefined;
  readonly seen?: McpServer["seen"];
}

/** A backstop: dispatch ends a call at the tool's own limit, which is shorter. */
const callNetMs = 660_000;

/** Where there is no session to take a task up again. */
const unrecorded = (): Promise<Result<unknown>> => Promise.resolve(ok(undefined));

export function createMcpServer(options: McpServerOptions): McpServer {
  const { spec, clock } = options;
  const connection = new ServerConnection(options, () => looks.forget());
  const looks: OfferLooks = new OfferLooks({
    connect: () => connection.get(),
    clock,
    timeoutMs: spec.startTimeoutMs,
  });
  const judge = new PinJudge(spec);
  const connect = () => {
    connection.refresh();
    return connection.get();
  };
  const sources = readSources({ server: spec.name, clock, connect });

  return {
    spec,
    inSessions: options.inSessions,
    seen: options.seen ?? (() => []),
    refusal: (pin) => judge.refusal(pin),
    offer: (signal) => within(looks.fresh(), spec, signal),
    async check(pin, signal) {
      const refused = judge.refusal(pin);
      if (refused) return err(refused);
      const approved = await options.isApproved(pin);
      if (!approved.ok) return approved;
      if (!approved.value) return err(withdrawn(pin));
      connection.refresh();
      const known = looks.newest;
      if (known && spec.recheckMs > 0 && clock.monotonic() - known.at < spec.recheckMs)
        return judge.compare(pin, known.offer);
      const offer = await within(looks.fresh(), spec, signal);
      return offer.ok ? judge.compare(pin, offer.value) : offer;
    },
    async call(pin, { onTier, onLowered, onQuestions = dismissed, onTask = unrecorded, ...asked }) {
      const { signal } = asked;
      connection.refresh();
      // Since the check the server may have ended or announced a change, or another caller's list may have shown one.
      if (!looks.newest) {
        const offer = await within(looks.fresh(), spec, signal);
        if (!offer.ok) return offer;
      }
      const known = looks.newest;
      if (!known) return err(domainError("TOOL_ERROR", `the MCP server "${spec.name}" ended before the call`));
      const refused = judge.refusal(pin);
      if (refused) return err(refused);
      const same = judge.compare(pin, known.offer);
      if (!same.ok) return same;
      const way = known.connection;
      const { definition } = pin;
      if (way.tier !== undefined) onTier?.(way.tier);
      const before = way.unkept();
      const result = await way.callTool({ ...asked, definition, timeoutMs: callNetMs, onQuestions, onTask });
      if (result.ok) connection.answered();
      if (result.ok && isLowered(result.value)) onLowered?.();
      const answer = result.ok
        ? readCallResult(pin.name, result.value, definition["outputSchema"] !== undefined)
        : result;
      const lost = [...way.unkept()].filter(([path, stamp]) => before.get(path) !== stamp).map(([path]) => path);
      if (lost.length > 0) {
        way.abandon(); // other sessions are not to see what was written for this one
        return err(nothingKept(spec, lost, answer));
      }
      if (answer.ok) return answer;
      const { message } = answer.error;
      const misses =
        unshownIn(spec, message, way.unshown()) ?? missingRight(spec, message, { root: options.root, tier: way.tier });
      if (misses === undefined) return answer;
      return err({ ...answer.error, message: `${message}; ${misses}` });
    },
    resources: (signal) => sources.list("resources", signal),
    prompts: (signal) => sources.list("prompts", signal),
    readResource: (uri, signal) => sources.readResource(uri, signal),
    getPrompt: (asked, signal) => sources.getPrompt(asked, signal),
    async close() {
      await Promise.all([connection.close(), options.inSessions?.servers.close()]);
    },
  };
}

function withdrawn({ name }: ToolPin): DomainError {
  return domainError(
    "TOOL_NOT_ALLOWED",
    `the approval of ${name} was taken back, or given to another definition of it`,
    {
      details: { hint: `writ tool approve ${name}` },
    },
  );
}

/** A caller whose signal aborts stops waiting; the shared work goes on for the other callers. */
async function within<T>(work: Promise<Result<T>>, spec: McpServerSpec, signal?: AbortSignal): Promise<Result<T>> {
  if (!signal) return work;
  if (signal.aborted) return err(domainError("CANCELED", `waiting for the MCP server "${spec.name}" was cancelled`));
  let stop: () => void = () => undefined;
  const stopped = new Promise<Result<T>>((resolve) => {
    stop = () =>
      resolve(err(domainError("CANCELED", `waiting for "${spec.name}" was cancelled: ${messageOf(signal.reason)}`)));
  });
  signal.addEventListener("abort", stop, { once: true });
  const first = await Promise.race([work, stopped]);
  signal.removeEventListener("abort", stop);
  return first;
}
