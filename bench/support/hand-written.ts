import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { sha256 } from "#core/values";

/**
 * What someone would write who wants no more than this: model, tool, model, eight validated and chained events, a shared
 * file, and a sync before the tool and at the end. Syncs are grouped: those who ask while one runs share the next.
 */
export interface HandWritten {
  request(): Promise<void>;
  /** Ten model calls, each announced before it starts and recorded after it ends, with a sync for each of the two. */
  tenSteps(): Promise<void>;
  close(): void;
}

export function handWritten(): HandWritten {
  const folder = mkdtempSync(join(tmpdir(), "writ-bench-hand-"));
  const file = openSync(join(folder, "events.jsonl"), "a");
  const schemas = shippedRegistry();
  let waiting: (() => void)[] = [];
  let syncing = false;

  const sync = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (!syncing) run();
    });
  const run = () => {
    syncing = true;
    const batch = waiting;
    waiting = [];
    fdatasync(file, () => {
      for (const resolve of batch) resolve();
      syncing = false;
      if (waiting.length > 0) run();
    });
  };
  /** A chain of its own for each request. */
  const chain = () => {
    let prev = "0".repeat(64);
    let seq = 0;
    return (type: string, payload: object) => {
      const body = {
        actor: "x",
        id: String(seq),
        parent_id: null,
        payload,
        prev_hash: prev,
        schema_version: "v1",
        seq: ++seq,
        session_id: "s",
        ts: "2026-11-15T00:00:00.000Z",
        type,
      };
      prev = sha256(JSON.stringify(body));
      const event = { ...body, hash: prev };
      if (!schemas.validate("event_v1", event).ok) throw new Error("invalid event");
      writeSync(file, `${JSON.stringify(event)}\n`);
    };
  };
  const model = async (call: number) => (call === 1 ? { tool: "echo", args: { text: "hello" } } : { text: "done" });
  return {
    async request() {
      const append = chain();
      append("session.start", { prompt: "Say hello" });
      append("llm.request", { messages: [{ role: "user", content: "Say hello" }] });
      const asked = await model(1);
      append("llm.response", asked);
      append("tool.invoke", { name: "echo", args: asked.args });
      await sync();
      append("tool.result", { result: asked.args });
      append("llm.request", { messages: [{ role: "tool", content: "hello" }] });
      const answer = await model(2);
      append("llm.response", answer);
      append("session.close", { ok: true });
      await sync();
    },
    async tenSteps() {
      const append = chain();
      append("session.start", { prompt: "begin" });
      for (let step = 0; step < 10; step++) {
        append("llm.request", { messages: [{ role: "user", content: `step ${step}` }] });
        await sync();
        append("llm.response", await model(2));
        await sync();
      }
      append("session.close", { ok: true });
      await sync();
    },
    close() {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
