/**
 * Writ's MCP client as the official judge tries it: the connection, the logins and the calls of `src/effects/mcp`, in this
 * process. The person is played here: they log in where Writ asks for it, and answer what a server asks.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type JsonObject,
  type JsonValue,
  ok,
  type Result,
  systemClock,
  systemRandom,
} from "../../../src/core/values/index.ts";
import { askPerson } from "../../../src/effects/mcp/ask-person.ts";
import { logInToServer } from "../../../src/effects/mcp/login/log-in.ts";
import type { McpServer } from "../../../src/effects/mcp/mcp-server.ts";
import { mcpToolName } from "../../../src/effects/mcp/tool-name.ts";
import {
  launchText,
  type McpCredentialKeeper,
  type McpCredentials,
  type McpOAuth,
  type McpServerSpec,
} from "../../../src/workspace/index.ts";
import { serverOf } from "../mcp.ts";

interface Task {
  readonly url: string;
  readonly scenario: string;
  readonly context: JsonObject;
}

/** A command line that hands each scenario to this process. */
export async function clientUnderTest(): Promise<AsyncDisposable & { readonly command: string }> {
  const folder = mkdtempSync(join(tmpdir(), "writ-judged-"));
  const socket = join(folder, "socket");
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    let asked = "";
    connection.setEncoding("utf8");
    connection.on("data", (more: string) => (asked += more));
    connection.on("end", () => {
      void runScenario(JSON.parse(asked) as Task).then(
        () => connection.end("{}"),
        (thrown: unknown) => connection.end(JSON.stringify({ error: String(thrown) })),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    command: `${process.execPath} ${join(import.meta.dirname, "client-stub.mjs")} ${socket}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const mostLogins = 4;

async function runScenario({ url, scenario, context }: Task): Promise<void> {
  const keeper = inMemory();
  const oauth = oauthOf(scenario, context, await issuerOf(scenario, url));
  const spec: McpServerSpec = {
    name: "judge",
    declaredIn: "test",
    startTimeoutMs: 20_000,
    recheckMs: 0,
    transport: { kind: "http", url, headers: {}, ...(oauth ? { oauth } : {}) },
  };
  const server = serverOf(spec, {}, keeper);
  const asPerson = async <T>(act: () => Promise<Result<T>>): Promise<T> => {
    for (let logins = 0; ; logins += 1) {
      const done = await act();
      if (done.ok) return done.value;
      const wantsLogin = done.error.message.includes("writ tool login judge") && logins < mostLogins;
      if (!wantsLogin) throw new Error(done.error.message);
      const loggedIn = await logInToServer({
        spec,
        keeper,
        fill: (text) => Promise.resolve(ok(text)),
        clock: systemClock,
        random: systemRandom,
        version: "test",
        show: (address) => void fetch(address),
        signal: AbortSignal.timeout(20_000),
      });
      if (!loggedIn.ok) throw new Error(loggedIn.error.message);
    }
  };
  try {
    await useServer(server, { scenario, context, asPerson, spec });
  } finally {
    await server.close();
  }
}

interface Using {
  readonly scenario: string;
  readonly context: JsonObject;
  readonly spec: McpServerSpec;
  readonly asPerson: <T>(act: () => Promise<Result<T>>) => Promise<T>;
}

async function useServer(server: McpServer, { scenario, context, asPerson, spec }: Using): Promise<void> {
  const { tools } = await asPerson(() => server.offer());
  const called = context["toolCalls"] as readonly { name: string; arguments: JsonObject }[] | undefined;
  const focal = tools.get("json_schema_2020_12_tool")?.definition["inputSchema"] ?? {};
  const calls = called ?? [...tools.keys()].map((name) => ({ name, arguments: argumentsFor(scenario, name, focal) }));
  for (const { name, arguments: args } of calls) {
    const tool = tools.get(name);
    if (!tool) continue;
    const pinned = { server: spec.name, tool: name, name: mcpToolName(spec.name, name), launch: launchText(spec) };
    const pin = { ...pinned, hash: tool.hash, definition: tool.definition };
    const onQuestions = askPerson(pin, {
      call_id: "call",
      role: "solo",
      work_order_id: "WO",
      ask: () => Promise.resolve(ok(answered(scenario))),
    });
    const call = () => server.call(pin, { args, meta: {}, signal: AbortSignal.timeout(25_000), onQuestions });
    const mayFail = scenario === "http-invalid-tool-headers" || name === "test_mrtr_no_result_type";
    await asPerson(call).catch((thrown: unknown) => {
      if (!mayFail) throw thrown;
    });
  }
  if (scenario !== "http-standard-headers") return;
  const signal = AbortSignal.timeout(20_000);
  const resources = await asPerson(() => server.resources(signal));
  for (const { uri } of resources) await asPerson(() => server.readResource(uri, signal));
  const prompts = await asPerson(() => server.prompts(signal));
  for (const { name } of prompts) await asPerson(() => server.getPrompt({ name, args: {} }, signal));
}

/** The person accepts, with what the scenario wants to see; what they leave out is filled by the form's defaults. */
function answered(scenario: string) {
  const result = scenario.startsWith("sep-2322") ? { confirmed: true } : null;
  return { state: "approved", approval_id: "APR", by: "judge", reason: "", result } as const;
}

function argumentsFor(scenario: string, tool: string, focal: JsonValue): JsonObject {
  if (tool === "json_schema_echo") return { schema: focal };
  if (tool === "add_numbers") return { a: 5, b: 3 };
  return scenario === "http-invalid-tool-headers" ? { region: "us-west1" } : {};
}

function oauthOf(scenario: string, context: JsonObject, issuer: string): McpOAuth | undefined {
  if (!scenario.startsWith("auth/")) return undefined;
  const { client_id, client_secret, private_key_pem, signing_algorithm } = context as Record<string, string>;
  const account = { issuer, client_id: client_id ?? "" };
  const {
    valid_jwt: assertion,
    idp_token_endpoint,
    idp_client_id = "",
    idp_id_token = "",
  } = context as Record<string, string>;
  if (assertion !== undefined) return { grant: "jwt_bearer", ...account, assertion };
  if (idp_token_endpoint !== undefined) {
    const identity_provider = { token_endpoint: idp_token_endpoint, client_id: idp_client_id, id_token: idp_id_token };
    return { grant: "jwt_bearer", ...account, client_secret: client_secret ?? "", identity_provider };
  }
  if (private_key_pem !== undefined)
    return {
      grant: "client_credentials",
      ...account,
      private_key: private_key_pem,
      signing_algorithm: signing_algorithm ?? "ES256",
    };
  if (scenario === "auth/client-credentials-basic")
    return { grant: "client_credentials", ...account, client_secret: client_secret ?? "" };
  return {
    grant: "authorization_code",
    client_metadata_url: "https://conformance-test.local/client-metadata.json",
    ...(client_id === undefined ? {} : { client_id }),
    ...(client_secret === undefined ? {} : { client_secret }),
  };
}

const programs = ["auth/client-credentials", "auth/wif", "auth/enterprise"];

/** An account of a program's own is declared with its issuer; the judge's has another address each time. */
async function issuerOf(scenario: string, url: string): Promise<string> {
  if (!programs.some((name) => scenario.startsWith(name))) return "";
  const { discoverOAuthProtectedResourceMetadata } = await import("@modelcontextprotocol/client");
  const { authorization_servers } = await discoverOAuthProtectedResourceMetadata(url);
  return authorization_servers?.[0] ?? "";
}

function inMemory(): McpCredentialKeeper {
  let kept: McpCredentials = {};
  return {
    load: () => Promise.resolve(ok(kept)),
    save: (_, credentials) => {
      kept = credentials;
      return Promise.resolve(ok(undefined));
    },
    inTurn: async (_, work) => ok(await work()),
  };
}
