import type { Result } from "#core/values";

/** How Writ authenticates to a server over HTTP, beyond fixed headers. */
export type McpOAuth =
  /** A program's own account. Its secret is sent to this issuer and to no other, whatever the server says. */
  | {
      readonly grant: "client_credentials";
      readonly issuer: string;
      readonly client_id: string;
      /** A reference such as `${secret:NAME}`. */
      readonly client_secret?: string;
      /** A PEM in place of a secret, as a reference: it signs an assertion and is sent to no server. */
      readonly private_key?: string;
      readonly signing_algorithm?: string;
      readonly scope?: string;
    }
  /** A program that proves who it is by an assertion of another authority (RFC 7523), sent to this issuer and to no other. */
  | {
      readonly grant: "jwt_bearer";
      readonly issuer: string;
      readonly client_id: string;
      readonly client_secret?: string;
      /** The token of the program's platform, as a reference. */
      readonly assertion?: string;
      /** Or an identity provider that gives the assertion for a person's ID token. */
      readonly identity_provider?: {
        readonly token_endpoint: string;
        readonly client_id: string;
        /** A reference. */
        readonly id_token: string;
      };
      readonly scope?: string;
    }
  /** A person's account: they log in once with a browser (`writ tool login`). Without a client id one is registered. */
  | {
      readonly grant: "authorization_code";
      readonly issuer?: string;
      readonly client_id?: string;
      readonly client_secret?: string;
      /** Address of a document that describes the client: servers that take it need no registration. */
      readonly client_metadata_url?: string;
      readonly scope?: string;
    };

/** The result of a login: the SDK's documents, stored as they are. */
export interface McpCredentials {
  readonly client?: Readonly<Record<string, unknown>>;
  readonly tokens?: Readonly<Record<string, unknown>>;
  /** The private key that the tokens are bound to (DPoP), as a JWK. */
  readonly dpop?: Readonly<Record<string, unknown>>;
  /** What the login asked for, where the tokens do not say what they were granted. */
  readonly asked_scope?: string;
  /** What the server wants of the next login. */
  readonly wanted?: { readonly scope?: string; readonly resource_metadata_url?: string };
}

/** Stores credentials between processes. The redactor learns them before any caller gets them. */
export interface McpCredentialKeeper {
  load(server: string): Promise<Result<McpCredentials>>;
  save(server: string, credentials: McpCredentials): Promise<Result<void>>;
  /** Does the work while no other caller, in this process or another, renews the login. Fails when the wait takes too long. */
  inTurn(server: string, work: () => Promise<void>): Promise<Result<void>>;
}
