import type { OAuthClientProvider } from "@modelcontextprotocol/client";

type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider["tokens"]>>>;

export interface AssertionOptions {
  readonly clientId: string;
  readonly issuer: string;
  /** A JWT that another authority gave to this program, such as the token of its workload. */
  readonly assertion: string;
  readonly scope?: string;
}

const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** A program that proves who it is by an assertion of its platform (RFC 7523). It has no secret, and no person logs in. */
export class AssertionProvider implements OAuthClientProvider {
  readonly #options: AssertionOptions;
  readonly redirectUrl = undefined;
  #tokens: Tokens | undefined;

  constructor(options: AssertionOptions) {
    this.#options = options;
  }

  get clientMetadata(): OAuthClientProvider["clientMetadata"] {
    return {
      client_name: "writ",
      redirect_uris: [],
      grant_types: [grantType],
      token_endpoint_auth_method: "none",
    };
  }

  /** Bound to its issuer: the assertion is sent to no other, whatever the server says. */
  clientInformation(): { readonly client_id: string; readonly issuer: string } {
    return { client_id: this.#options.clientId, issuer: this.#options.issuer };
  }

  tokens(): Tokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: Tokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(): never {
    throw new Error("no person logs in with an assertion");
  }

  saveCodeVerifier(): void {}

  codeVerifier(): never {
    throw new Error("no person logs in with an assertion");
  }

  prepareTokenRequest(scope?: string): URLSearchParams {
    const asked = this.#options.scope ?? scope;
    const { assertion } = this.#options;
    return new URLSearchParams({
      grant_type: grantType,
      assertion,
      ...(asked === undefined ? {} : { scope: asked }),
    });
  }
}
