import type { OAuthClientMetadata, OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type { Result } from "#core/values";
import type { McpCredentialKeeper, McpCredentials, McpOAuth } from "#workspace";

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
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;
  /** Client id and refresh token that the authorization server last got: its refusal refers to these. */
  #shownClient: unknown;
  #shownToken: unknown;

  constructor(options: LoginProviderOptions) {
    this.#options = options;
  }

  get redirectUrl(): string {
    return this.#options.redirectUrl;
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

  redirectToAuthorization(url: URL): void {
    this.#options.redirect(url);
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
    const { client, tokens } = await this.#load();
    const keepsClient = (scope !== "all" && scope !== "client") || client?.["client_id"] !== this.#shownClient;
    const keepsTokens = (scope !== "all" && scope !== "tokens") || tokens?.["refresh_token"] !== this.#shownToken;
    await this.#save({
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
