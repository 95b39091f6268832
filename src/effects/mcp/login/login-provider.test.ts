import { expect, test } from "vitest";
import { ok } from "#core/values";
import type { McpCredentials } from "#workspace";
import { LoginProvider } from "./login-provider.ts";

const issuer = "https://login.example";
const renewed = (name: string): McpCredentials => ({
  client: { client_id: `client-${name}` },
  tokens: { access_token: `at-${name}`, refresh_token: `rt-${name}`, token_type: "Bearer" },
});

function login() {
  let kept = renewed("old");
  const provider = new LoginProvider({
    server: "math",
    oauth: { grant: "authorization_code" },
    keeper: {
      load: () => Promise.resolve(ok(kept)),
      save(_, credentials) {
        kept = credentials;
        return Promise.resolve(ok(undefined));
      },
      inTurn: async (_, work) => ok(await work()),
    },
    redirectUrl: "http://127.0.0.1/callback",
    state: "",
    redirect: () => undefined,
  });
  return { provider, kept: () => kept, replace: (next: McpCredentials) => (kept = next) };
}

test("a refusal drops what was shown, and keeps what came since", async () => {
  const { provider, kept, replace } = login();
  await provider.clientInformation();
  await provider.tokens({ issuer });
  replace(renewed("new"));
  await provider.tokens(); // for a request to the MCP server: the authorization server is not involved
  await provider.invalidateCredentials("client");
  await provider.invalidateCredentials("tokens");
  expect(kept()).toEqual(renewed("new"));

  await provider.tokens({ issuer });
  await provider.invalidateCredentials("tokens");
  expect(kept()).toEqual({ client: renewed("new").client });
  await provider.clientInformation();
  await provider.invalidateCredentials("client");
  expect(kept()).toEqual({});
});
