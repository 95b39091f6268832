// A session as a trace, told to a collector over OTLP: by the conventions, without what was said.
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { traceIdOf } from "#core/values";
import type { Event } from "#log";
import { initWorkspace } from "#operate";
import { openWorkspace } from "../../src/embed/open-workspace.ts";
import { testWorkspace } from "../support/runtime-workspace.ts";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

async function collector() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      bodies.push(text);
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, bodies, close: () => server.close() };
}

test.for([false, true])(
  "content %s: spans nest, name the conversation, and carry what was said only when asked",
  async (content) => {
    const otlp = await collector();
    const workspace = await testWorkspace({
      config: { telemetry: { endpoint: otlp.url, content, service_name: "the-desk" } },
    });
    const { session_id } = await workspace.ask("greet Ada");
    const [start] = (await workspace.events(session_id)) as [Event<"session.start">];
    expect(start.payload.trace_id).toBe(traceIdOf(session_id ?? ""));
    await workspace[Symbol.asyncDispose]();
    otlp.close();
    const text = otlp.bodies.join("\n");
    const spans = otlp.bodies.flatMap((body) =>
      (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap(
        ({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
    const root = spans.find(({ name }) => name.startsWith("invoke_agent"));
    expect(root?.attributes).toContainEqual({ key: "gen_ai.conversation.id", value: { stringValue: session_id } });
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([start.payload.trace_id]));
    expect(spans.filter((span) => span !== root).every(({ parentSpanId }) => parentSpanId === root?.spanId)).toBe(true);
    const names = spans.map(({ name }) => name.split(" ")[0]);
    expect(names).toEqual(expect.arrayContaining(["chat", "execute_tool", "plan"]));
    expect(text).toContain("gen_ai.usage.input_tokens");
    expect(text.includes("Hello, Ada")).toBe(content);
    expect(text).toContain('{"key":"service.name","value":{"stringValue":"the-desk"}}');
  },
);

test("a workspace whose collector cannot be told about is refused, and let go of", async () => {
  const root = mkdtempSync(join(tmpdir(), "writ-telemetry-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  expect(await initWorkspace(root)).toMatchObject({ ok: true });
  writeFileSync(
    join(root, "writ.yaml"),
    'version: 1\ntelemetry: { endpoint: "http://127.0.0.1:1", headers: { authorization: "${secret:NOWHERE}" } }\n',
  );
  expect(await openWorkspace(root, { env: {} })).toMatchObject({ ok: false, error: { code: "SECRET_NOT_FOUND" } });
  const held = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // the one that listed them
    }
  });
  expect(held.filter((file) => file.startsWith(root))).toEqual([]);
});
