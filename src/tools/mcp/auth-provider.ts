import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { ok, type Result } from "#base";
import { LoginProvider } from "./login-provider.ts";
import type { McpCredentialKeeper, McpOAuth } from "./oauth.ts";

export interface AuthOptions {
  readonly server: string;
  readonly oauth: McpOAuth;
  readonly keeper: McpCredentialKeeper;
  /** Puts values in the places of references such as `${secret:NAME}`. */
  readonly fill: (text: string) => Promise<Result<string>>;
}

/** Who we are to a server while it is used. Nobody is there to log in: a login that is missing says how to get it. */
export async function authProvider(options: AuthOptions): Promise<Result<OAuthClientProvider>> {
  const { server, oauth, keeper } = options;
  const secret = await secretOf(options);
  if (!secret.ok) return secret;
  if (oauth.grant === "authorization_code")
    return ok(
      new LoginProvider({
        server,
        oauth: { ...oauth, ...secret.value },
        keeper,
        redirectUrl: "http://127.0.0.1/callback",
        state: "",
        redirect: () => {
          throw new Error(`it wants a person to log in: writ tool login ${server}`);
        },
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
