import type { Transport } from "@modelcontextprotocol/client";
import { type Clock, ok, type Result } from "#core/values";
import type { McpCredentialKeeper, McpServerSpec } from "#workspace";
import { boundedFetch } from "./adapters/bounded-fetch.ts";
import { headersForOrigin } from "./adapters/headers-for-origin.ts";
import { StdioTransport } from "./adapters/stdio-transport.ts";
import { authProvider } from "./login/auth-provider.ts";
import { fillAll, type ServedSession, type ServerProgram } from "./server-program.ts";

export interface TransportOptions {
  readonly spec: McpServerSpec;
  readonly clock: Clock;
  /** Of a server on stdio. */
  readonly program: ServerProgram;
  /** The session that it works for alone; absent where all sessions share it. */
  readonly session?: ServedSession | undefined;
  /** Puts values in the places of references such as `${secret:NAME}`. */
  readonly fill: (text: string) => Promise<Result<string>>;
  readonly keeper: McpCredentialKeeper;
}

const maxMessageBytes = 8 * 1024 * 1024;
const maxUnaskedBytes = 16 * 1024 * 1024;
const closeGraceMs = 500;

/** The way to a server, with values in the places of references: only here, and only now. */
export async function makeTransport(
  options: TransportOptions,
): Promise<Result<Transport & { close(): Promise<void> }>> {
  const { spec, clock, program, session, fill } = options;
  const { transport } = spec;
  if (transport.kind === "stdio")
    return ok(
      new StdioTransport({
        start: () => program.start(session),
        clock,
        maxMessageBytes,
        maxUnaskedBytes,
        graceMs: closeGraceMs,
      }),
    );
  const headers = await fillAll(transport.headers, fill);
  if (!headers.ok) return headers;
  const url = await fill(transport.url);
  if (!url.ok) return url;
  const { oauth } = transport;
  const { keeper } = options;
  const auth = oauth ? await authProvider({ server: spec.name, oauth, keeper, fill, clock }) : ok(undefined);
  if (!auth.ok) return auth;
  const sdk = await import("@modelcontextprotocol/client");
  const address = new URL(url.value);
  const send = headersForOrigin(address, headers.value, boundedFetch(maxMessageBytes));
  return ok(
    new sdk.StreamableHTTPClientTransport(address, {
      ...(auth.value ? { authProvider: auth.value } : {}),
      redirectPolicy: "same-origin",
      fetch: auth.value && "watch" in auth.value ? auth.value.watch(send) : send,
    }),
  );
}
