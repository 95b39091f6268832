import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Mandate } from "#governance/mandate";
import type { McpServer } from "./mcp-server.ts";
import type { ReadText } from "./read-sources.ts";
import { hostsOf, mayReadAll } from "./server-reach.ts";

export type AskedSource =
  | { readonly server: string; readonly resource: string }
  | { readonly server: string; readonly prompt: string; readonly args: Readonly<Record<string, string>> };

/**
 * Reads a resource or prompt of a declared server for an order: not where the order may not reach the server's hosts, nor
 * where the server sees files that the order may not read.
 */
export async function readServed(
  asked: AskedSource,
  mandate: Mandate,
  { servers, signal }: { readonly servers: readonly McpServer[]; readonly signal: AbortSignal },
): Promise<Result<readonly ReadText[]>> {
  const server = servers.find(({ spec }) => spec.name === asked.server);
  if (!server)
    return err(
      domainError(
        "CONFIG_INVALID",
        `mcp: there is no MCP server ${JSON.stringify(asked.server)}; there is ${servers.map(({ spec }) => spec.name).join(", ") || "none"}`,
      ),
    );
  for (const act of hostsOf(server.spec)) {
    const decision = mandate.decide(act);
    if (!decision.allowed)
      return err(
        domainError("CAPABILITY_VIOLATION", `the MCP server "${asked.server}" is not read: ${decision.reason}`),
      );
  }
  const seen = server.seen();
  if (seen.length > 0 && !mayReadAll(mandate, seen))
    return err(
      domainError(
        "CAPABILITY_VIOLATION",
        `the MCP server "${asked.server}" is not read: it sees files that this order may not read`,
      ),
    );
  const read =
    "resource" in asked
      ? await server.readResource(asked.resource, signal)
      : await server.getPrompt({ name: asked.prompt, args: asked.args }, signal);
  return read.ok ? ok(read.value) : read;
}
