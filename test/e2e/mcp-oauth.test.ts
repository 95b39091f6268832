// An MCP server over HTTP that trusts an authorization server: with the program's own account, and with a person's login.
import { generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { nodeFiles } from "#core/machine";
import { ok, systemClock } from "#core/values";
import type { Event } from "#log";
import { mcpCredentials } from "../../src/effects/mcp/login/mcp-credentials.ts";
import { authorizationServer, type Trusted } from "../support/authorization-server.ts";
import { mcpFixture, serverOf } from "../support/mcp.ts";
import { type TestWorkspace, testWorkspace } from "../support/runtime-workspace.ts";

const account = { id: "writ", secret: "the-secret-of-writ" };

async function adding() {
  const { addingServer } = (await import(mcpFixture("adding-server.mjs"))) as { addingServer: () => never };
  return toNodeHandler(createMcpHandler(() => addingServer()));
}

async function adder(trusted?: Trusted) {
  const handle = await adding();
  return authorizationServer((request, response) => void handle(request as never, response), account, trusted);
}

async function add(workspace: TestWorkspace) {
  const order = await workspace.runtime.writeToolOrder("math.add", { a: 2, b: 3 });
  if (!order.ok) throw new Error(order.error.message);
  const request = { work_order: { ...order.value }, caller_id: workspace.runtime.caller };
  return workspace.runtime.runFlow(request, { fresh: true });
}

async function approve(workspace: TestWorkspace) {
  const [survey] = await workspace.runtime.approvals.survey(AbortSignal.timeout(30_000));
  if (!survey || survey.error) return survey?.error;
  const approved = await workspace.runtime.approvals.approve(survey.tools);
  if (!approved.ok) throw new Error(approved.error.message);
  await workspace.reopen();
  return undefined;
}

async function everything(workspace: TestWorkspace): Promise<Event[]> {
  const all: Event[] = [];
  for await (const session of workspace.runtime.log.list())
    if (session.ok) all.push(...(await workspace.events(session.value.session_id)));
  return all;
}

test("the program's own account gets a token, gets another when it has expired, and sends its secret to its issuer alone", async () => {
  await using server = await adder();
  const oauth = {
    grant: "client_credentials",
    issuer: server.issuer,
    client_id: account.id,
    client_secret: "${secret:MATH_SECRET}",
  };
  const config = { mcp: { servers: { math: { url: server.mcpUrl, oauth } } } };
  const env = { MATH_SECRET: account.secret };
  await using workspace = await testWorkspace({ config, env });
  expect(await approve(workspace)).toBeUndefined();
  expect(await add(workspace)).toMatchObject({ status: "success", response: expect.stringContaining("5") });
  server.expireTokens();
  expect(await add(workspace)).toMatchObject({ status: "success" });
  expect(new Set(server.grants)).toEqual(new Set(["client_credentials"]));
  expect(JSON.stringify(await everything(workspace))).not.toContain(account.secret);

  await using other = await adder();
  const elsewhere = { mcp: { servers: { math: { url: other.mcpUrl, oauth } } } };
  await using led = await testWorkspace({ config: elsewhere, env });
  expect(await approve(led)).toMatchObject({ code: "TOOL_ERROR" });
  expect(other.grants).toEqual([]); // another server named another authorization server, and got nothing
});

/** The header and the claims of a JWT of the account, if its Ed25519 signature is good. */
function readEdDsa(jwt: string, key: KeyObject): Record<string, unknown> | undefined {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  if (!verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, "base64url"))) return undefined;
  const [head, said] = [header, claims].map((part) => JSON.parse(Buffer.from(part, "base64url").toString()) as object);
  return { ...head, ...said };
}

/** An identity provider that gives an assertion for one ID token of one client. */
async function identityProvider(client: string, id_token: string, assertion: string) {
  const server = createServer((request, response) => {
    void (async () => {
      const asked = new URLSearchParams(await text(request));
      const isKnown = asked.get("client_id") === client && asked.get("subject_token") === id_token;
      const issued_token_type = asked.get("requested_token_type");
      const given = isKnown ? { access_token: assertion, issued_token_type, token_type: "N_A" } : { error: "denied" };
      const status = isKnown && request.url === "/exchange" ? 200 : 400;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(given));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/exchange`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test("a key, an assertion, an ID token and a document prove who asks in place of a secret, each where it is declared", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const shown: Record<string, unknown>[] = [];
  const document = "https://writ.example/client.json";
  await using server = await adder({
    documents: [document],
    proves(body, issuer) {
      const { client_id, assertion, client_assertion = "" } = Object.fromEntries(body);
      if (client_assertion === "") {
        shown.push({ client_id, assertion });
        return assertion === "of the platform" || assertion === "of the identity provider";
      }
      const read = readEdDsa(client_assertion, publicKey);
      shown.push({ alg: read?.["alg"], iss: read?.["iss"] });
      return read?.["alg"] === "EdDSA" && read["iss"] === "signer" && read["aud"] === issuer;
    },
  });
  await using people = await identityProvider("writ-at-idp", "of Ada", "of the identity provider");
  const { issuer, mcpUrl: url } = server;
  const signer = {
    grant: "client_credentials",
    issuer,
    client_id: "signer",
    private_key: "${secret:KEY}",
    signing_algorithm: "EdDSA",
  };
  const workload = { grant: "jwt_bearer", issuer, client_id: "workload", assertion: "${secret:PLATFORM}" };
  const exchanged = {
    grant: "jwt_bearer",
    issuer,
    client_id: "exchanged",
    client_secret: "${secret:SECRET}",
    identity_provider: { token_endpoint: people.url, client_id: "writ-at-idp", id_token: "${secret:ID_TOKEN}" },
  };
  const person = { grant: "authorization_code", client_metadata_url: document };
  const declared = Object.entries({ signer, workload, exchanged, person });
  const servers = Object.fromEntries(declared.map(([name, oauth]) => [name, { url, oauth }]));
  const KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const env = { KEY, PLATFORM: "of the platform", SECRET: "unused here", ID_TOKEN: "of Ada" };
  await using workspace = await testWorkspace({ config: { mcp: { servers } }, env });
  const { approvals } = workspace.runtime;
  const browse = (address: string) => void fetch(address);
  expect(await approvals.logIn("person", browse, AbortSignal.timeout(30_000))).toMatchObject({ ok: true });
  expect([server.asking, server.registered]).toEqual([[document], 0]);

  const surveys = await approvals.survey(AbortSignal.timeout(30_000));
  const offered = surveys.map(({ tools, error }) => error?.message ?? tools.map(({ name }) => name).join());
  expect(offered.toSorted()).toEqual(["exchanged.add", "person.add", "signer.add", "workload.add"]);
  const proofs = [
    { alg: "EdDSA", iss: "signer" },
    { client_id: "workload", assertion: "of the platform" },
    { client_id: undefined, assertion: "of the identity provider" }, // its account stands in the header
  ];
  expect(shown).toHaveLength(proofs.length);
  expect(shown).toEqual(expect.arrayContaining(proofs));
});

test("a person logs in once; later processes use the login and renew it, and no record holds a token", async () => {
  await using server = await adder();
  const config = {
    mcp: { servers: { math: { url: server.mcpUrl, oauth: { grant: "authorization_code", scope: "math.add" } } } },
  };
  await using workspace = await testWorkspace({ config });
  const refused = await approve(workspace);
  expect(refused?.message).toContain("writ tool login math");

  // The person's browser: it follows the redirect back to us.
  let asked = "";
  const browse = (url: string) => {
    asked = url;
    void fetch(url);
  };
  const loggedIn = await workspace.runtime.approvals.logIn("math", browse, AbortSignal.timeout(30_000));
  expect(loggedIn).toMatchObject({ ok: true });
  expect(new URL(asked).searchParams.get("scope")).toBe("math.add");
  const file = join(workspace.root, "planes/hot/keys/mcp-math.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await workspace.reopen();
  expect(await approve(workspace)).toBeUndefined();
  expect(await add(workspace)).toMatchObject({ status: "success" });
  server.expireTokens();
  expect(await add(workspace)).toMatchObject({ status: "success" });
  expect(server.grants).toEqual(["authorization_code", "refresh_token"]);

  const events = await everything(workspace);
  expect(events.find(({ type }) => type === "mcp.authorized")?.payload).toMatchObject({
    server: "math",
    scope: "math.add",
  });
  const { tokens } = JSON.parse(await workspace.read("planes/hot/keys/mcp-math.json")) as {
    tokens: { access_token: string; refresh_token: string };
  };
  const told = JSON.stringify(events);
  for (const token of [tokens.access_token, tokens.refresh_token]) expect(told).not.toContain(token);
});

test("of processes whose login expires at one moment one renews it, and the others use what it got", async () => {
  await using server = await adder();
  const oauth = { grant: "authorization_code" } as const;
  const config = { mcp: { servers: { math: { url: server.mcpUrl, oauth } } } };
  await using workspace = await testWorkspace({ config });
  const browse = (url: string) => void fetch(url);
  await workspace.runtime.approvals.logIn("math", browse, AbortSignal.timeout(30_000));

  const transport = { kind: "http", url: server.mcpUrl, headers: {}, oauth } as const;
  const spec = { name: "math", declaredIn: "test", startTimeoutMs: 30_000, recheckMs: 0, transport };
  const redactor = { register: () => ok(undefined) };
  // As many keepers as there are processes: they share the file and nothing else.
  const processes = [1, 2, 3].map(() =>
    serverOf(spec, {}, mcpCredentials({ root: workspace.root, files: nodeFiles, clock: systemClock, redactor })),
  );
  for (const each of processes) expect(await each.offer()).toMatchObject({ ok: true });
  server.expireTokens();
  server.refuseTogether(processes.length);
  const offers = await Promise.all(processes.map((each) => each.offer()));
  expect(offers.map((offer) => (offer.ok ? "ok" : offer.error.message))).toEqual(["ok", "ok", "ok"]);
  expect(server.grants).toEqual(["authorization_code", "refresh_token"]);
  await Promise.all(processes.map((each) => each.close()));
});

test("headers that are declared for a server go to it, and never to the authorization server that it names", async () => {
  await using authorization = await adder();
  const { issuer } = authorization;
  const handle = await adding();
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["x-api-key"]);
    const metadata = `http://${request.headers.host}/.well-known/oauth-protected-resource/mcp`;
    if (request.url !== "/mcp")
      response.end(JSON.stringify({ resource: `http://${request.headers.host}/mcp`, authorization_servers: [issuer] }));
    else if (request.headers.authorization === undefined)
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
    else void handle(request as never, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const oauth = { grant: "client_credentials", issuer, client_id: account.id, client_secret: account.secret } as const;
  const transport = { kind: "http", url, headers: { "x-api-key": "for math alone" }, oauth } as const;
  const math = serverOf({ name: "math", declaredIn: "test", startTimeoutMs: 30_000, recheckMs: 0, transport });
  expect(await math.offer()).toMatchObject({ ok: true });
  await math.close();
  server.close();
  expect(new Set(seen)).toEqual(new Set(["for math alone"]));
  expect(authorization.grants).toEqual(["client_credentials"]);
  expect(authorization.keyed).toEqual([]);
});

test("an answer that is not to our question is no login, and does not end the one that is waited for", async () => {
  await using server = await adder();
  const config = { mcp: { servers: { math: { url: server.mcpUrl, oauth: {} } } } };
  await using workspace = await testWorkspace({ config });
  const { approvals } = workspace.runtime;
  const forge = (url: string, search: string, path = "/callback") => {
    const back = new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
    return fetch(`${back.origin}${path}${search}`);
  };
  const gaveUp = new AbortController();
  const forged: number[] = [];
  const forgers = async (url: string) => {
    for (const search of ["?code=stolen&state=guessed", "?error=access_denied", ""])
      forged.push((await forge(url, search)).status);
    forged.push((await forge(url, "", "//")).status); // no address at all
  };
  const nobody = (url: string) => void forgers(url).then(() => gaveUp.abort());
  expect(await approvals.logIn("math", nobody, gaveUp.signal)).toMatchObject({
    ok: false,
    error: { code: "CANCELED" },
  });
  expect(forged).toEqual([400, 400, 400, 404]);
  expect(server.grants).toEqual([]);

  const somebody = (url: string) => void forgers(url).then(() => fetch(url));
  expect(await approvals.logIn("math", somebody, AbortSignal.timeout(30_000))).toMatchObject({ ok: true });
  expect(server.grants).toEqual(["authorization_code"]);
  const kept = await workspace.read("planes/hot/keys/mcp-math.json");
  const deny = (url: string) =>
    void forge(url, `?error=access_denied&state=${new URL(url).searchParams.get("state") ?? ""}`);
  expect(await approvals.logIn("math", deny, AbortSignal.timeout(30_000))).toMatchObject({
    ok: false,
    error: { code: "NOT_AUTHORIZED", message: expect.stringContaining("access_denied") },
  });
  expect(await workspace.read("planes/hot/keys/mcp-math.json")).toBe(kept); // a login that comes to nothing costs none
  expect(await approvals.logIn("nobody", somebody, AbortSignal.timeout(1_000))).toMatchObject({
    ok: false,
    error: { code: "NOT_FOUND" },
  });
});
