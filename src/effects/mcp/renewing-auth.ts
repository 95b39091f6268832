import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { Clock } from "#core/values";
import { boundedFetch } from "./adapters/bounded-fetch.ts";

export interface RenewingAuthOptions {
  readonly provider: OAuthClientProvider;
  /** Does the work when nobody else renews this login. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  readonly clock: Clock;
}

export interface RenewingAuth extends AuthProvider {
  /** Notes with which token each answer was asked for: it may be another one's by the time that it is refused. */
  watch(send: typeof fetch): typeof fetch;
}

/** How long the authorization server may take. Who waits for a turn waits longer than this. */
const renewalMs = 30_000;
const maxDocumentBytes = 1024 * 1024;

/**
 * Our token for each request, and another when the server refuses it. Of many that are refused the same token one renews
 * it and the others take what it got: a refresh token counts once, and some servers end the login of one that uses it twice.
 */
export function renewingAuth({ provider, inTurn, clock }: RenewingAuthOptions): RenewingAuth {
  const asked = new WeakMap<Response, string | null>();
  return {
    watch: (send) => async (input, init) => {
      const answer = await send(input, init);
      asked.set(answer, new Headers(init?.headers).get("authorization"));
      return answer;
    },
    async token() {
      return (await provider.tokens())?.access_token;
    },
    async onUnauthorized({ response, serverUrl }) {
      const refused = asked.get(response);
      await inTurn(async () => {
        const kept = await provider.tokens();
        if (kept && refused && refused !== `Bearer ${kept.access_token}`) return; // another renewed it meanwhile
        const sdk = await import("@modelcontextprotocol/client");
        const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
        const limit = new AbortController();
        const cancel = clock.after(renewalMs, () =>
          limit.abort(new Error(`the authorization server did not answer within ${renewalMs} ms`)),
        );
        try {
          const result = await sdk.auth(provider, {
            serverUrl,
            ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
            ...(scope === undefined ? {} : { scope }),
            fetchFn: boundedFetch(maxDocumentBytes, (input, init) => fetch(input, { ...init, signal: limit.signal })),
          });
          if (result !== "AUTHORIZED") throw new sdk.UnauthorizedError();
        } finally {
          cancel();
        }
      });
    },
  };
}
