import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  /** The MCP server that trusts it. */
  readonly mcpUrl: string;
  /** What came to the token endpoint, in order. */
  readonly grants: readonly string[];
  readonly registered: number;
  /** The paths of requests that bore an `x-api-key`. */
  readonly keyed: readonly string[];
  /** The client ids that a person was asked about. */
  readonly asking: readonly string[];
  /** From now on no access token that was given out counts. */
  expireTokens(): void;
  /** The next so many requests without a token that counts are told so at one moment. */
  refuseTogether(count: number): void;
}

/** Who gets tokens besides the account with its secret and a client that registered. */
export interface Trusted {
  /** Whether what came to the token endpoint proves who asks. */
  proves(shown: URLSearchParams, issuer: string): boolean;
  /** Addresses of documents that describe clients; each tells of this machine's `/callback`, at whatever port. */
  readonly documents: readonly string[];
}

const provingGrants = ["client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"];

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An authorization server and an MCP server that accepts its tokens alone, in one process: OAuth 2.1 with PKCE. */
export async function authorizationServer(
  mcp: Handler,
  account: { readonly id: string; readonly secret: string },
  trusted: Trusted = { proves: () => false, documents: [] },
): Promise<AuthorizationServer> {
  const grants: string[] = [];
  const good = new Set<string>();
  const refreshable = new Set<string>();
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();
  const clients = new Map<string, readonly string[]>();
  let issuer = "";
  const keyed: string[] = [];
  const asking: string[] = [];
  let together = 0;
  const refusals: (() => void)[] = [];

  const newTokens = () => {
    const access_token = `at-${randomBytes(16).toString("hex")}`;
    const refresh_token = `rt-${randomBytes(16).toString("hex")}`;
    good.add(access_token);
    refreshable.add(refresh_token);
    return { access_token, refresh_token, token_type: "Bearer", expires_in: 3600 };
  };
  const grant = (body: URLSearchParams, authorization: string | undefined): object | undefined => {
    const kind = body.get("grant_type") ?? "";
    grants.push(kind);
    if (provingGrants.includes(kind) && trusted.proves(body, issuer)) return newTokens();
    if (kind === "client_credentials") {
      const expected = `Basic ${Buffer.from(`${account.id}:${account.secret}`).toString("base64")}`;
      return authorization === expected ? newTokens() : undefined;
    }
    if (kind === "refresh_token") {
      if (refreshable.delete(body.get("refresh_token") ?? "")) return newTokens();
      refreshable.clear(); // shown twice it was stolen, for all that a server knows: the login ends
      return undefined;
    }
    const code = codes.get(body.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = code?.challenge === verifier && code.redirect === body.get("redirect_uri");
    codes.delete(body.get("code") ?? "");
    return isRight ? newTokens() : undefined;
  };
  const authorize = (asked: URLSearchParams): string | undefined => {
    const redirect = asked.get("redirect_uri") ?? "";
    const client = asked.get("client_id") ?? "";
    asking.push(client);
    const isDescribed = trusted.documents.includes(client) && /^http:\/\/127\.0\.0\.1:\d+\/callback$/.test(redirect);
    if (!isDescribed && !clients.get(client)?.includes(redirect)) return undefined;
    if (asked.get("code_challenge_method") !== "S256") return undefined;
    const code = randomBytes(8).toString("hex");
    codes.set(code, { challenge: asked.get("code_challenge") ?? "", redirect });
    const answer = new URLSearchParams({ code, state: asked.get("state") ?? "", iss: issuer });
    return `${redirect}?${answer.toString()}`;
  };

  const server = createServer((request, response) => {
    void (async () => {
      const address = new URL(request.url ?? "/", issuer);
      if ("x-api-key" in request.headers) keyed.push(address.pathname);
      const json = (status: number, body: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      if (address.pathname.startsWith("/.well-known/oauth-protected-resource"))
        return json(200, { resource: `${issuer}/mcp`, authorization_servers: [issuer] });
      if (address.pathname === "/.well-known/oauth-authorization-server")
        return json(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "private_key_jwt"],
          client_id_metadata_document_supported: trusted.documents.length > 0,
          authorization_response_iss_parameter_supported: true,
        });
      if (address.pathname === "/register") {
        const client = JSON.parse(await textOf(request)) as { redirect_uris: string[] };
        const client_id = `client-${clients.size + 1}`;
        clients.set(client_id, client.redirect_uris);
        return json(201, { ...client, client_id });
      }
      if (address.pathname === "/authorize") {
        const location = authorize(address.searchParams);
        return location ? response.writeHead(302, { location }).end() : json(400, { error: "invalid_request" });
      }
      if (address.pathname === "/token") {
        const tokens = grant(new URLSearchParams(await textOf(request)), request.headers.authorization);
        return tokens ? json(200, tokens) : json(400, { error: "invalid_grant" });
      }
      if (!good.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
        const challenge = `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp"`;
        refusals.push(() => response.writeHead(401, { "www-authenticate": challenge }).end());
        if (refusals.length < together) return;
        together = 0;
        for (const refuse of refusals.splice(0)) refuse();
        return;
      }
      return mcp(request, response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    mcpUrl: `${issuer}/mcp`,
    grants,
    keyed,
    asking,
    get registered() {
      return clients.size;
    },
    expireTokens: () => good.clear(),
    refuseTogether(count) {
      together = count;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
