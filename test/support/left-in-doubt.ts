import { expect } from "vitest";
import type { SessionId } from "#core/values";
import { cli } from "./fresh-cli.ts";
import type { HostileServer } from "./mcp.ts";
import { type TestWorkspace, testWorkspace } from "./runtime-workspace.ts";

export const book = { name: "book", description: "Books a room", inputSchema: { type: "object" } };

export interface LeftInDoubt {
  readonly workspace: TestWorkspace;
  readonly session_id: SessionId;
  readonly call_id: string;
  readonly idempotency_key: string;
}

/** A workspace with a session whose call was cut off; unless told otherwise its question waits in the inbox. */
export async function leftInDoubt(
  server: HostileServer,
  config: object = {},
  { isAsked = true }: { readonly isAsked?: boolean } = {},
): Promise<LeftInDoubt> {
  const workspace = await testWorkspace({
    config: {
      ...config,
      mcp: { servers: { hotel: { command: process.execPath, args: [...server.args], rights: server.rights } } },
    },
    rules: [
      { when: { call: 1 }, respond: { tool_calls: [{ name: "hotel.book", args: { room: 5 } }] } },
      { respond: { text: "booked" } },
    ],
  });
  expect((await cli(workspace.root, "tool", "approve", "hotel", "--yes")).status).toBe(0);
  await workspace.reopen();
  server.set({ tools: [book], mode: "hang" });
  const reached = async () => {
    while (server.calls().length === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  const stopped = await workspace.order(
    { tool_permissions: ["hotel.book"], budget: { token_limit: 20_000, turn_limit: 3, timeout_seconds: 60 } },
    {
      onEvent: ({ type, session_id }) => {
        if (type === "tool.invoke")
          void reached().then(() => workspace.runtime.halt(session_id as SessionId, "enough"));
      },
    },
  );
  expect(stopped).toMatchObject({ status: "canceled", error_code: "HALTED" });
  const session_id = stopped.session_id as SessionId;
  await workspace.runtime.liftHalt();
  if (isAsked) {
    const waiting = await workspace.runtime.resumeSession(session_id);
    expect(waiting).toMatchObject({ ok: true, value: { status: "waiting", error_code: "EFFECT_IN_DOUBT" } });
  }
  const invoke = (await workspace.events(session_id)).find((event) => event.type === "tool.invoke");
  if (!invoke) throw new Error("the flow called no tool");
  const { call_id, idempotency_key } = invoke.payload;
  return { workspace, session_id, call_id, idempotency_key };
}
