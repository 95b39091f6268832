import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { Clock } from "#core/values";
import { boundedFetch } from "../adapters/bounded-fetch.ts";
import { challengeIn, type LoginChallenge } from "./login-challenge.ts";

export interface RenewingAuthOptions {
  readonly provider: OAuthClientProvider;
  /** Runs the work while no other process renews this login. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Called, within a turn, with what the server wants of a login, where the stored one cannot be renewed. */
  readonly onRefused: (challenge: LoginChallenge) => Promise<void>;
  readonly clock: Clock;
}

export interface RenewingAuth extends AuthProvider {
  /** Notes which token each request carried: the stored token may be another one by the time that the server refuses it. */
  watch(send: typeof fetch): typeof fetch;
}

/** Time limit of the authorization server. A process that waits for its turn waits longer than this. */
const renewalMs = 30_000;
const maxDocumentBytes = 1024 * 1024;

/**
 * The token of each request, and a renewed one when the server refuses it. Of many requests that are refused the same token
 * one renews it and the others use the new one: a refresh token is valid once, and some servers end a login that uses it
 * twice.
 */
export function renewingAuth({ provider, inTurn, onRefused, clock }: RenewingAuthOptions): RenewingAuth {
  const asked = new WeakMap<Response, string | null>();
  return {
    watch: (send) => {
      let bound: typeof fetch | undefined;
      return async (input, init) => {
        const sdk = await import("@modelcontextprotocol/client");
        // A token that is bound to a key goes out with a proof of that key.
        bound ??= sdk.withDpopFromProvider(provider)(send) as typeof fetch;
        const answer = await bound(input, init);
        asked.set(answer, new Headers(init?.headers).get("authorization"));
        return answer;
      };
    },
    async token() {
      return (await provider.tokens())?.access_token;
    },
    async onUnauthorized({ response, serverUrl }) {
      const refused = asked.get(response);
      await inTurn(async () => {
        const kept = await provider.tokens();
        if (kept && refused && refused !== `Bearer ${kept.access_token}`) return; // another request renewed it meanwhile
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
        } catch (thrown) {
          await onRefused(challengeIn({ scope, resourceMetadataUrl }));
          throw thrown;
        } finally {
          cancel();
        }
      });
    },
  };
}
