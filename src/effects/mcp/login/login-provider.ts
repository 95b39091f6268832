import type {
  DpopSession,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import type { Result } from "#core/values";
import type { McpCredentialKeeper, McpCredentials, McpOAuth } from "#workspace";
import { type DpopKey, dpopKey } from "./dpop-key.ts";

type Login = Extract<McpOAuth, { grant: "authorization_code" }>;
type ClientInformation = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider["tokens"]>>>;

export interface LoginProviderOptions {
  readonly server: string;
  readonly oauth: Login & { readonly client_secret?: string };
  readonly keeper: McpCredentialKeeper;
  readonly redirectUrl: string;
  readonly state: string;
  /** Sends the person's browser there; throws, with the command to log in, where no person is present. */
  readonly redirect: (url: URL) => void;
}

/** A person's login as the SDK expects it. Tokens are stored, and renewed where the server allows it; the rest lasts one login. */
export class LoginProvider implements OAuthClientProvider {
  readonly #options: LoginProviderOptions;
  readonly clientMetadataUrl?: string;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;
  #dpop: Promise<DpopKey> | undefined;
  /** Client id and refresh token that the authorization server last got: its refusal refers to these. */
  #shownClient: unknown;
  #shownToken: unknown;

  constructor(options: LoginProviderOptions) {
    this.#options = options;
    const { client_metadata_url } = options.oauth;
    if (client_metadata_url !== undefined) this.clientMetadataUrl = client_metadata_url;
  }

  get redirectUrl(): string {
    return this.#options.redirectUrl;
  }

  /**
   * Tokens are bound to a key where the authorization server offers it, or bound the stored ones. The key is kept beside
   * them, so that later processes can use them.
   */
  async dpop(): Promise<DpopSession | undefined> {
    const { dpop } = await this.#load();
    const offered = this.#discovered?.authorizationServerMetadata as Record<string, unknown> | undefined;
    if (dpop === undefined && !Array.isArray(offered?.["dpop_signing_alg_values_supported"])) return undefined;
    this.#dpop ??= dpopKey(dpop);
    const { session, stored } = await this.#dpop;
    if (dpop === undefined) await this.#change({ dpop: stored });
    return session;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, client_secret } = this.#options.oauth;
    return {
      client_name: "writ",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: client_secret === undefined ? "none" : "client_secret_basic",
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    return this.#options.state;
  }

  async clientInformation(): Promise<ClientInformation> {
    const { client_id, client_secret, issuer } = this.#options.oauth;
    if (client_id === undefined) {
      const { client } = await this.#load();
      this.#shownClient = client?.["client_id"];
      return client as ClientInformation;
    }
    return {
      client_id,
      ...(client_secret === undefined ? {} : { client_secret }),
      ...(issuer === undefined ? {} : { issuer }),
    };
  }

  async saveClientInformation(client: NonNullable<ClientInformation>): Promise<void> {
    await this.#change({ client: { ...client } });
  }

  /** `context` is given when the tokens are for the authorization server, not for a request to the MCP server. */
  async tokens(context?: { readonly issuer: string }): Promise<Tokens | undefined> {
    const { tokens } = await this.#load();
    if (context) this.#shownToken = tokens?.["refresh_token"];
    return tokens as Tokens | undefined;
  }

  async saveTokens(tokens: Tokens): Promise<void> {
    await this.#change({ tokens: { ...tokens } });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.#options.redirect(url);
    const scope = url.searchParams.get("scope");
    if (scope !== null) await this.#change({ asked_scope: scope });
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /** Remembered for one login: only the authorization server that the login began with may answer it. */
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  /** Drops refused credentials. Keeps credentials that another process renewed, or a person logged in for, since they were sent. */
  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const { client, tokens, ...rest } = await this.#load();
    const keepsClient = (scope !== "all" && scope !== "client") || client?.["client_id"] !== this.#shownClient;
    const keepsTokens = (scope !== "all" && scope !== "tokens") || tokens?.["refresh_token"] !== this.#shownToken;
    await this.#save({
      ...rest,
      ...(client && keepsClient ? { client } : {}),
      ...(tokens && keepsTokens ? { tokens } : {}),
    });
  }

  async #load(): Promise<McpCredentials> {
    return valueOf(await this.#options.keeper.load(this.#options.server));
  }

  async #change(change: McpCredentials): Promise<void> {
    await this.#save({ ...(await this.#load()), ...change });
  }

  async #save(credentials: McpCredentials): Promise<void> {
    valueOf(await this.#options.keeper.save(this.#options.server, credentials));
  }
}

/** The SDK expects exceptions; the caller of the SDK turns them back into results. */
function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
