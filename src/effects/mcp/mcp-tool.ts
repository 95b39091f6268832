import type { SchemaRegistry } from "#core/contracts";
import { ok, type Result } from "#core/values";
import type { ToolSpec } from "../tools/tool.ts";
import type { McpServer } from "./mcp-server.ts";
import type { ToolPin } from "./pin.ts";
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
  return ok({
    name: pin.name,
    description: typeof definition["description"] === "string" ? definition["description"] : "",
    schema_in: definition["inputSchema"] as object,
    schema_out: (definition["outputSchema"] as object | undefined) ?? fallback.value,
    annotations: annotationsOf(definition),
    origin: `mcp:${pin.server}`,
    trust: "untrusted",
    definition,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
    unavailable: () => server.refusal(pin),
    ready: (signal) => server.check(pin, signal),
    invoke: (args, context) =>
      server.call(pin, {
        args,
        meta: { [keyField]: context.idempotency_key, [attemptField]: context.attempt },
        signal: context.signal,
        onProgress: context.onProgress,
      }),
  });
}
