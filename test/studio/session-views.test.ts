import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isIncluded } from "../../src/proof/bundle/page/merkle-path.ts";
import { isSignedRoot } from "../../src/proof/bundle/page/signed-root.ts";
import { genesis, verifyLines } from "../../studio/src/verify/chain.ts";
import { type TestServer, testServer } from "../support/server.ts";
import { writJson } from "../support/writ.ts";

let server: TestServer;
let session: string;
beforeAll(async () => {
  server = await testServer();
  const result = await server.workspace.ask("greet Ada");
  session = result.session_id ?? "";
});
afterAll(() => server[Symbol.asyncDispose]());

const rawLines = async () =>
  (await server.events(`/api/v1/sessions/${session}/lines`, 100))
    .filter(({ event }) => event === "lines")
    .flatMap(({ data }) => data as string[]);

describe("a session, for somebody who does not take the server's word", () => {
  test("its lines come byte for byte and prove themselves; its head is under a signed root", async () => {
    const lines = await rawLines();
    const state = verifyLines(lines, { seq: 0, head: genesis });
    const { json: proof } = await server.get(`/api/v1/sessions/${session}/proof`);
    expect(state).toEqual({ ok: true, events: lines.length, head: proof.inclusion.leaf.head_hash });
    expect([isIncluded(proof.inclusion, proof.checkpoint), isSignedRoot(proof.checkpoint)]).toEqual([true, true]);
    const forged = structuredClone(proof);
    forged.inclusion.leaf.head_hash = "0".repeat(64);
    expect(isIncluded(forged.inclusion, forged.checkpoint)).toBe(false);
    forged.checkpoint.tree_size += 1;
    expect(isSignedRoot(forged.checkpoint)).toBe(false);
  });

  test("any moment of it can be looked at; nothing is called", async () => {
    const early = await server.get(`/api/v1/sessions/${session}/snapshot?at=10`);
    const whole = await server.get(`/api/v1/sessions/${session}/snapshot`);
    expect(early.json).toMatchObject({ event_count: 10, closed: false, output: null });
    expect(whole.json).toMatchObject({ closed: true, output: "Hello, Ada" });
    expect((await rawLines()).length).toBe(whole.json.event_count);
  });

  test("what its order granted is listed with what it was used for, the never used too", async () => {
    const { json } = await server.get(`/api/v1/sessions/${session}/rights`);
    expect(json).toMatchObject({
      session_id: session,
      rights: expect.arrayContaining([
        expect.objectContaining({ right: "tool", pattern: "echo", used: 1, path: "tool_permissions[0]" }),
        expect.objectContaining({ right: "write", pattern: "output/**", used: 0, path: "scope.allowed_files" }),
      ]),
    });
  });

  test("events are found by expression; a bad one is refused with what is wrong", async () => {
    const find = (text: string) =>
      server.get(`/api/v1/sessions/${session}/events?limit=1000&find=${encodeURIComponent(text)}`);
    const gates = await find('gate.point == "PreToolUse" && payload.subject == "echo"');
    expect(gates.json.events.map(({ type }: { type: string }) => type)).toEqual(["hook.fired"]);
    const misspelt = await find('gates.decision == "deny"');
    expect(misspelt.status).toBe(400);
    expect(misspelt.json.detail).toContain("did you mean gate?");
    expect((await find("[1,2].all(a, [1,2].all(b, [1,2].all(c, [1,2].all(d, true))))")).status).toBe(400);
  });

  test("events are found by words, among those for which a condition is true", async () => {
    const find = async (query: Record<string, string>) => {
      const { status, json } = await server.get(
        `/api/v1/sessions/${session}/events?${new URLSearchParams(query).toString()}`,
      );
      return status === 200 ? json.events.map(({ type }: { type: string }) => type) : status;
    };
    expect(await find({ words: "HELLO ada", among: 'type.startsWith("tool.")' })).toEqual([
      "tool.invoke",
      "tool.output",
    ]);
    expect(await find({ words: "ada", find: 'type == "lead.directive"' })).toEqual(["lead.directive"]);
    expect(await find({ words: "nobody said this" })).toEqual([]);
    expect(await find({ words: "ada", among: "type" })).toBe(400);
  });

  test("its first screen is one answer; what it adds up to counts no normal end as a denial", async () => {
    const { json } = await server.get(`/api/v1/sessions/${session}/opening`);
    expect(json).toMatchObject({ asked: "greet Ada", waiting: [], info: { closed: true, ok: true } });
    expect(json.first.map(({ seq }: { seq: number }) => seq)).toEqual(
      json.first.map((_: unknown, at: number) => at + 1),
    );
    const { outline } = json;
    expect(outline).toMatchObject({
      tool_calls: 1,
      denied: 0,
      trouble: [],
      idle: [],
      snapshot: { output: "Hello, Ada" },
    });
    // The budget only falls, and by what was spent, not by what was set aside.
    const { input, output } = outline.snapshot.cost;
    const left = outline.budget.map((point: { left: number }) => point.left);
    expect(left).toEqual(left.toSorted((a: number, b: number) => b - a));
    expect(left[0] - left.at(-1)).toBe(input + output);
    expect((await server.get(`/api/v1/sessions/${session}/outline`)).json).toEqual(outline);
    expect((await server.get("/api/v1/sessions/SES-20261115-00000000000000000000/opening")).status).toBe(404);
  });

  test("the home page's numbers and the list's words come from the record", async () => {
    const home = await server.get("/api/v1/home");
    expect(home.json).toMatchObject({ running: 0, waiting: 0, failed_since_yesterday: 0 });
    expect(home.json.spent.tokens).toBeGreaterThan(0);
    const { json: list } = await server.get("/api/v1/sessions");
    expect(list.sessions[0]).toMatchObject({ session_id: session, asked: "greet Ada" });
    // A session is found by what was asked, however it is spelt; and by no other words.
    const foundBy = async (words: string) => (await server.get(`/api/v1/sessions?q=${words}`)).json.total;
    expect([await foundBy("GREET%20ada"), await foundBy(session.slice(-6)), await foundBy("nobody")]).toEqual([
      1, 1, 0,
    ]);
  });

  test("a line that was changed on disk is handed out as it is, and does not prove itself", async () => {
    const { json: other } = await writJson<{ session_id: string }>([
      "run",
      "greet Eve",
      "--root",
      server.workspace.root,
    ]);
    const file = join(server.workspace.root, "planes/ho1/sessions", other.session_id, ".events.jsonl");
    await writeFile(file, (await readFile(file, "utf8")).replace("greet Eve", "greet Eva"));
    session = other.session_id;
    // The page shows it, so that its badge can say where it breaks; a program that asks for proven events gets none.
    const { json } = await server.get(`/api/v1/sessions/${session}/opening`);
    expect(JSON.stringify(json.first)).toContain("greet Eva");
    expect((await server.get(`/api/v1/sessions/${session}/events?unproven=true`)).status).toBe(200);
    expect((await server.get(`/api/v1/sessions/${session}/events`)).status).toBe(500);
    expect(verifyLines(await rawLines(), { seq: 0, head: genesis })).toMatchObject({ ok: false });
  });
});
