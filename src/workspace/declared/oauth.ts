import type { Result } from "#core/values";

/** How we prove to a server over HTTP who we are, beyond fixed headers. */
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

/** What a login left behind: the SDK's documents, kept as they are. */
export interface McpCredentials {
  readonly client?: Readonly<Record<string, unknown>>;
  readonly tokens?: Readonly<Record<string, unknown>>;
}

/** Where credentials lie between processes. What is kept is known to the redactor before anybody has it. */
export interface McpCredentialKeeper {
  load(server: string): Promise<Result<McpCredentials>>;
  save(server: string, credentials: McpCredentials): Promise<Result<void>>;
  /** Does the work while no other process, and nobody else in this one, renews the login. Fails when that takes too long. */
  inTurn(server: string, work: () => Promise<void>): Promise<Result<void>>;
}
