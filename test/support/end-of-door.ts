import { expect } from "vitest";
import { type Open, recorded } from "./model-door.ts";

/** Ends the session of the token, and proves its record. */
export async function ended({ server, token_id }: Open) {
  const { runtime } = server.workspace;
  const by = runtime.localCaller();
  if (by.ok) await runtime.keys.revoke(by.value, token_id, "done");
  await server.server.close(2_000);
  const events = await recorded(server);
  const [start] = events;
  if (!start) throw new Error("there is no session");
  expect(await runtime.verifySession(start.session_id as never)).toMatchObject({ ok: true, closed: true });
  return events;
}
