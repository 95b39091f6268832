import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import type { ProgramTier } from "#core/machine";
import { err, type JsonValue, ok, type Result } from "#core/values";
import type { ToolContext, ToolSpec } from "../tools/tool.ts";
import { askPerson } from "./ask-person.ts";
import { declaredValues } from "./declared-values.ts";
import type { InSessions, McpServer, McpToolCall } from "./mcp-server.ts";
import type { ToolPin } from "./pin.ts";
import type { ServerLog } from "./server-logs.ts";
import { hostsOf, visibleTo } from "./server-reach.ts";
import { annotationsOf } from "./wire-tool.ts";

/** What a tool gives that declares no output schema; its id in a definition says that nothing was promised. */
export const defaultResultSchema = "mcp_result_v1";

/** Keys of `_meta` that are ours; the prefix is what the protocol asks for. */
const keyField = "writ/idempotency-key";
const attemptField = "writ/attempt";

/**
 * A tool from what was approved of it. Models see the approved definition, never what the server says today; before each
 * call the server is asked whether both are still the same.
 */
export function mcpTool(pin: ToolPin, server: McpServer, schemas: SchemaRegistry): Result<ToolSpec> {
  const { definition } = pin;
  const fallback = schemas.schema(defaultResultSchema);
  if (!fallback.ok) return fallback;
  const { timeoutMs, maxOutputBytes } = server.spec;
  const hosts = hostsOf(server.spec);
  const approved = declaredValues(definition);
  return ok({
    name: pin.name,
    description: typeof definition["description"] === "string" ? definition["description"] : "",
    schema_in: definition["inputSchema"] as object,
    schema_out: (definition["outputSchema"] as object | undefined) ?? fallback.value,
    annotations: annotationsOf(definition),
    origin: `mcp:${pin.server}`,
    trust: "untrusted",
    staysOpen: true,
    definition,
    ...(approved === undefined ? {} : { approved }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
    unavailable: () => server.refusal(pin),
    acts: () => hosts,
    ready: (signal, session) => {
      const { inSessions } = server;
      return (inSessions?.serves(session) ? inSessions.servers.of(session).server : server).check(pin, signal);
    },
    invoke: (args, context) => {
      const seen = server.seen();
      const call = {
        args,
        meta: { [keyField]: context.idempotency_key, [attemptField]: context.attempt },
        signal: context.signal,
        onProgress: context.onProgress,
        onQuestions: askPerson(pin, context),
        task_id: context.task_id,
        onTask: (task_id: string) => context.recorder.append(deferred(pin, context, task_id)),
        // Not waited for: what a server says by the way announces nothing.
        onLog: (log: ServerLog) => void context.recorder.stage(logged(pin, context, log)),
        onLowered: context.onLowered,
        onTier: (tier: ProgramTier) => {
          context.onTier?.(tier);
          // Outside a sandbox it sees everything; the tier says so.
          if (tier !== "T1" && seen.length > 0) context.onVisible?.(visibleTo(context.mandate, seen));
        },
      };
      const { inSessions } = server;
      return inSessions?.serves(context) ? callInSession(pin, call, context, inSessions) : server.call(pin, call);
    },
  });
}

/** What a resumed session needs to ask after a task that this call has become. */
function deferred({ name, server }: ToolPin, { call_id, attempt }: ToolContext, task_id: string) {
  const payload = { call_id, name, attempt, server, task_id };
  return { type: "tool.deferred" as const, actor: "tool", payload };
}

function logged({ name, server }: ToolPin, { call_id, attempt }: ToolContext, log: ServerLog) {
  return { type: "tool.log" as const, actor: "tool", payload: { call_id, name, attempt, server, ...log } };
}

/** The call is a turn: what the server writes meanwhile is compared, and lands with what else its order wrote. */
async function callInSession(
  pin: ToolPin,
  call: McpToolCall,
  context: ToolContext,
  { servers, callAsTurn }: InSessions,
): Promise<Result<JsonValue>> {
  const mine = servers.of(context);
  return mine.inTurn(async () => {
    const ready = mine.program ? ok(undefined) : await mine.server.check(pin, call.signal);
    if (!ready.ok) return ready;
    const { program } = mine;
    // Outside a sandbox it writes where it wants; the record says so by its tier.
    if (!program?.layer) return mine.server.call(pin, call);
    const { answer, written, isSettled } = await callAsTurn({
      server: pin.server,
      tool: pin.tool,
      toolHash: pin.hash,
      layer: program.layer,
      async call() {
        const answered = await mine.server.call(pin, { ...call, onTier: context.onTier });
        return mine.program === program ? answered : err(restarted(pin));
      },
      recorder: context.recorder,
      mandate: context.mandate,
      workOrderId: context.work_order_id,
      signal: context.signal,
    });
    if (isSettled && mine.program === program) mine.settled(written);
    else mine.discard();
    return answer;
  });
}

function restarted({ server }: ToolPin): DomainError {
  return domainError("TOOL_ERROR", `the MCP server "${server}" ended during the call; nothing that it wrote is kept`, {
    retryable: true,
  });
}
