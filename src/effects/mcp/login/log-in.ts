import { domainError, messageOf } from "#core/errors";
import { type Clock, err, type Random, type Result } from "#core/values";
import type { McpCredentialKeeper, McpServerSpec } from "#workspace";
import { boundedFetch } from "../adapters/bounded-fetch.ts";
import { headersForOrigin } from "../adapters/headers-for-origin.ts";
import { listenForLogin } from "../adapters/login-callback.ts";
import { fillAll } from "../server-program.ts";
import { secretOf } from "./auth-provider.ts";
import { loginAside } from "./login-aside.ts";
import { type LoginChallenge, loginChallenge } from "./login-challenge.ts";
import { LoginProvider } from "./login-provider.ts";

export interface LoginOptions {
  readonly spec: McpServerSpec;
  readonly keeper: McpCredentialKeeper;
  readonly fill: (text: string) => Promise<Result<string>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  /** Shows a person the address at which they log in. */
  readonly show: (url: string) => void;
  readonly signal: AbortSignal;
}

/** How long a person has. */
const loginMs = 300_000;
const maxDocumentBytes = 1024 * 1024;

/** Has a person log in to a server with a browser, and keeps what comes of it. */
export async function logInToServer(options: LoginOptions): Promise<Result<void>> {
  const { spec, keeper } = options;
  const { transport, name } = spec;
  if (transport.kind !== "http" || transport.oauth?.grant !== "authorization_code")
    return err(
      domainError("MALFORMED_INPUT", `the MCP server "${name}" asks for no login`, {
        details: { hint: `mcp.servers.${name}.oauth in writ.yaml declares one` },
      }),
    );
  const url = await options.fill(transport.url);
  if (!url.ok) return url;
  const secret = await secretOf({ oauth: transport.oauth, fill: options.fill });
  if (!secret.ok) return secret;
  const login = loginAside(keeper);
  const limit = new AbortController();
  const cancel = options.clock.after(loginMs, () => limit.abort());
  const state = Buffer.from(options.random.bytes(16)).toString("base64url");
  const callback = await listenForLogin(state);
  try {
    const provider = new LoginProvider({
      server: name,
      oauth: { ...transport.oauth, ...secret.value },
      keeper: login.keeper,
      redirectUrl: callback.url,
      state,
      redirect: (address) => options.show(String(address)),
    });
    const sdk = await import("@modelcontextprotocol/client");
    const challenge = await challengeFor(options, url.value);
    const { scope, resource_metadata_url } = challenge;
    const asked = {
      serverUrl: url.value,
      fetchFn: boundedFetch(maxDocumentBytes),
      ...(scope === undefined ? {} : { scope }),
      ...(resource_metadata_url === undefined ? {} : { resourceMetadataUrl: new URL(resource_metadata_url) }),
    };
    if ((await sdk.auth(provider, asked)) === "AUTHORIZED") return await login.keep(name);
    const answer = await callback.answer(AbortSignal.any([options.signal, limit.signal]));
    if (!answer) return err(domainError("CANCELED", `nobody logged in to "${name}"`));
    const code = answer.get("code");
    if (code === null)
      return err(refused(name, answer.get("error_description") ?? answer.get("error") ?? "the answer holds no code"));
    const iss = answer.get("iss");
    await sdk.auth(provider, { ...asked, authorizationCode: code, ...(iss === null ? {} : { iss }) });
    return await login.keep(name);
  } catch (thrown) {
    return err(refused(name, messageOf(thrown), thrown));
  } finally {
    cancel();
    callback.close();
  }
}

/** What the login asks for: what a refused call wanted, else what is declared, else what the server says when it is asked. */
async function challengeFor(
  { spec: { name, transport }, keeper, fill, clock, version }: LoginOptions,
  url: string,
): Promise<LoginChallenge> {
  const kept = await keeper.load(name);
  const wanted = (kept.ok && kept.value.wanted) || {};
  const declared = transport.kind === "http" ? transport.oauth?.scope : undefined;
  const headers = transport.kind === "http" ? await fillAll(transport.headers, fill) : undefined;
  const address = new URL(url);
  const send = headersForOrigin(address, headers?.ok ? headers.value : {}, boundedFetch(maxDocumentBytes));
  const said =
    wanted.scope !== undefined && wanted.resource_metadata_url !== undefined
      ? {}
      : await loginChallenge({ url: address, send, clock, version });
  const scope = wordsOf(wanted.scope, declared) ?? said.scope;
  const resource_metadata_url = wanted.resource_metadata_url ?? said.resource_metadata_url;
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(resource_metadata_url === undefined ? {} : { resource_metadata_url }),
  };
}

/** All words of both, each once; undefined where there are none. */
function wordsOf(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => (scope ?? "").split(" ").filter(Boolean)));
  return words.size === 0 ? undefined : [...words].join(" ");
}

function refused(name: string, why: string, cause?: unknown) {
  return domainError("NOT_AUTHORIZED", `the login to the MCP server "${name}" failed: ${why.slice(0, 500)}`, { cause });
}
