import { messageOf } from "#core/errors";
import type { Clock } from "#core/values";

/** What a server says about the login that it wants (RFC 6750, RFC 9728). Words of a stranger. */
export interface LoginChallenge {
  readonly scope?: string;
  readonly resource_metadata_url?: string;
}

export interface AskedServer {
  readonly url: URL;
  readonly send: typeof fetch;
  readonly clock: Clock;
  readonly version: string;
}

const probeMs = 15_000;

/** Asks the server for its tools without credentials, and notes how it refuses; empty where it does not, or is silent. */
export async function loginChallenge({ url, send, clock, version }: AskedServer): Promise<LoginChallenge> {
  const sdk = await import("@modelcontextprotocol/client");
  let found: LoginChallenge = {};
  const transport = new sdk.StreamableHTTPClientTransport(url, {
    fetch: send,
    redirectPolicy: "same-origin",
    authProvider: {
      token: () => Promise.resolve(undefined),
      onUnauthorized: ({ response }) => {
        found = challengeIn(sdk.extractWWWAuthenticateParams(response));
        return Promise.reject(new sdk.UnauthorizedError());
      },
    },
  });
  const client = new sdk.Client({ name: "writ", version }, { versionNegotiation: { mode: "auto" } });
  const cancel = clock.after(probeMs, () => void transport.close());
  try {
    await client.connect(transport, { timeout: probeMs });
    await client.listTools({}, { timeout: probeMs });
  } catch (thrown) {
    // The refusal is what was asked for. A server that cannot be reached is reported by the login itself.
    messageOf(thrown);
  } finally {
    cancel();
    await client.close();
  }
  return found;
}

export function challengeIn({
  scope,
  resourceMetadataUrl,
}: {
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
}): LoginChallenge {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resource_metadata_url: resourceMetadataUrl.href }),
  };
}
