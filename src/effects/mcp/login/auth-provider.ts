import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { type Clock, ok, type Result } from "#core/values";
import type { McpCredentialKeeper, McpOAuth } from "#workspace";
import { AssertionProvider } from "./assertion-provider.ts";
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
        async onRefused(challenge) {
          const kept = await keeper.load(server);
          const saved = kept.ok ? await keeper.save(server, { ...kept.value, wanted: challenge }) : kept;
          if (!saved.ok) throw new Error(saved.error.message);
        },
        clock,
      }),
    );
  const sdk = await import("@modelcontextprotocol/client");
  const wide = oauth.scope === undefined ? {} : { scope: oauth.scope };
  const account = { clientId: oauth.client_id, clientName: "writ", expectedIssuer: oauth.issuer, ...wide };
  const { client_secret = "", private_key = "", assertion = "", id_token = "" } = secret.value;
  if (oauth.grant === "jwt_bearer") {
    const { identity_provider: provider } = oauth;
    if (!provider)
      return ok(new AssertionProvider({ clientId: oauth.client_id, issuer: oauth.issuer, assertion, ...wide }));
    return ok(
      new sdk.CrossAppAccessProvider({
        ...account,
        clientSecret: client_secret,
        assertion: async ({ authorizationServerUrl, resourceUrl, fetchFn }) => {
          const granted = await sdk.requestJwtAuthorizationGrant({
            tokenEndpoint: provider.token_endpoint,
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: id_token,
            clientId: provider.client_id,
            ...wide,
            fetchFn,
          });
          return granted.jwtAuthGrant;
        },
      }),
    );
  }
  if (oauth.private_key === undefined)
    return ok(new sdk.ClientCredentialsProvider({ ...account, clientSecret: client_secret }));
  const algorithm = oauth.signing_algorithm ?? "ES256";
  // As bytes: of a PEM in a string the SDK takes no EdDSA.
  const privateKey = new TextEncoder().encode(private_key);
  return ok(new sdk.PrivateKeyJwtProvider({ ...account, privateKey, algorithm }));
}

interface FilledSecrets {
  readonly client_secret?: string;
  readonly private_key?: string;
  readonly assertion?: string;
  readonly id_token?: string;
}

/** The values of the references of a declaration. */
export async function secretOf({ oauth, fill }: Pick<AuthOptions, "oauth" | "fill">): Promise<Result<FilledSecrets>> {
  const { client_secret } = oauth;
  const own =
    oauth.grant === "client_credentials"
      ? { private_key: oauth.private_key }
      : oauth.grant === "jwt_bearer"
        ? { assertion: oauth.assertion, id_token: oauth.identity_provider?.id_token }
        : {};
  const filled: Record<string, string> = {};
  for (const [name, reference] of Object.entries({ client_secret, ...own })) {
    if (reference === undefined) continue;
    const value = await fill(reference);
    if (!value.ok) return value;
    filled[name] = value.value;
  }
  return ok(filled);
}
