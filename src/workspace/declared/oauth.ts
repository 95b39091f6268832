import type { Result } from "#core/values";

/** How Writ authenticates to a server over HTTP, beyond fixed headers. */
export type McpOAuth =
  /** A program's own account. Its secret is sent to this issuer and to no other, whatever the server says. */
  | {
      readonly grant: "client_credentials";
      readonly issuer: string;
      readonly client_id: string;
      /** A reference such as `${secret:NAME}`. */
      readonly client_secret: string;
      readonly scope?: string;
    }
  /** A person's account: they log in once with a browser (`writ tool login`). Without a client id one is registered. */
  | {
      readonly grant: "authorization_code";
      readonly issuer?: string;
      readonly client_id?: string;
      readonly client_secret?: string;
      readonly scope?: string;
    };

/** The result of a login: the SDK's documents, stored as they are. */
export interface McpCredentials {
  readonly client?: Readonly<Record<string, unknown>>;
  readonly tokens?: Readonly<Record<string, unknown>>;
}

/** Stores credentials between processes. The redactor learns them before any caller gets them. */
export interface McpCredentialKeeper {
  load(server: string): Promise<Result<McpCredentials>>;
  save(server: string, credentials: McpCredentials): Promise<Result<void>>;
  /** Does the work while no other caller, in this process or another, renews the login. Fails when the wait takes too long. */
  inTurn(server: string, work: () => Promise<void>): Promise<Result<void>>;
}
