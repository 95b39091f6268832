import type { Event } from "#log";
import type { TokenRequest } from "../../src/work/foreign/issue-token.ts";
import { modelServer } from "./model-server.ts";
import { type TestServer, type TestServerOptions, testServer } from "./server.ts";

const price = { input_per_million: 1, output_per_million: 10 };

/** A server of Writ before a scripted model on loopback, and a token for a program. */
export async function open(
  provider: "anthropic" | "openai-compatible",
  options: TestServerOptions & { asked?: Partial<TokenRequest> } = {},
) {
  const model = await modelServer();
  const { asked, ...more } = options;
  const server = await testServer({
    ...more,
    config: {
      provider,
      model: "test-model",
      base_url: model.url,
      api_key: `\${secret:MODEL_KEY}`,
      prices: { "test-model": price },
      ...options.config,
    },
    env: { ...process.env, MODEL_KEY: "the-real-key", ...options.env },
  });
  const issued = await server.workspace.runtime.issueToken({ hours: 1, note: "a test", usd: 1, ...asked });
  if (!issued.ok) throw new Error(issued.error.message);
  return {
    model,
    server,
    ...issued.value,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

export type Open = Awaited<ReturnType<typeof open>>;

const tool = {
  name: "write_file",
  description: "Writes.",
  input_schema: { type: "object", properties: { path: { type: "string" } } },
};
export const tools = [tool, { ...tool, name: "read_file" }];
export const asked = {
  model: "test-model",
  max_tokens: 500,
  stream: true,
  messages: [{ role: "user", content: "hello" }],
  tools,
};

export function ask(
  { server, token }: Pick<Open, "server" | "token">,
  body: unknown = asked,
  path = "/v1/messages?beta=true",
  more: RequestInit = {},
) {
  return fetch(`${server.server.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": token,
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "x-1",
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...more,
  });
}

export async function recorded({ workspace }: TestServer): Promise<Event[]> {
  for await (const listed of workspace.runtime.log.list()) {
    const events = listed.ok ? await workspace.events(listed.value.session_id) : [];
    if (events[0]?.type === "session.start" && events[0].payload.grade !== undefined) return events;
  }
  return [];
}

export const payloads = (events: readonly Event[], type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload as unknown as Record<string, unknown>);
