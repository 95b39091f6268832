import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { type Clock, ok, type Result } from "#core/values";
import type { McpCredentialKeeper, McpOAuth } from "#workspace";
import { LoginProvider } from "./login-provider.ts";
import { type RenewingAuth, renewingAuth } from "./renewing-auth.ts";

export interface AuthOptions {
  readonly server: string;
  readonly oauth: McpOAuth;
  readonly keeper: McpCredentialKeeper;
  /** Replaces references such as `${secret:NAME}` by their values. */
  readonly fill: (text: string) => Promise<Result<string>>;
  readonly clock: Clock;
}

/** Credentials for calls to a server. No person can log in during a call: a missing login is an error that says how to log in. */
export async function authProvider(options: AuthOptions): Promise<Result<OAuthClientProvider | RenewingAuth>> {
  const { server, oauth, keeper, clock } = options;
  const secret = await secretOf(options);
  if (!secret.ok) return secret;
  if (oauth.grant === "authorization_code")
    return ok(
      renewingAuth({
        provider: new LoginProvider({
          server,
          oauth: { ...oauth, ...secret.value },
          keeper,
          redirectUrl: "http://127.0.0.1/callback",
          state: "",
          redirect: () => {
            throw new Error(`it wants a person to log in: writ tool login ${server}`);
          },
        }),
        async inTurn(work) {
          const done = await keeper.inTurn(server, work);
          if (!done.ok) throw new Error(done.error.message);
        },
        clock,
      }),
    );
  const sdk = await import("@modelcontextprotocol/client");
  return ok(
    new sdk.ClientCredentialsProvider({
      clientId: oauth.client_id,
      clientSecret: secret.value.client_secret ?? "",
      expectedIssuer: oauth.issuer,
      clientName: "writ",
      ...(oauth.scope === undefined ? {} : { scope: oauth.scope }),
    }),
  );
}

export async function secretOf({
  oauth,
  fill,
}: Pick<AuthOptions, "oauth" | "fill">): Promise<Result<{ readonly client_secret?: string }>> {
  if (oauth.client_secret === undefined) return ok({});
  const filled = await fill(oauth.client_secret);
  return filled.ok ? ok({ client_secret: filled.value }) : filled;
}
