// The list of sessions is over all of them, from a projection that is folded once and made anew when it is lost.

import { expect, test } from "vitest";
import { systemClock } from "#core/values";
import { type EventInput, SessionList } from "#log";
import { SessionCatalog } from "#proof";
import { longSession } from "../support/long-session.ts";
import { must } from "../support/real-log.ts";
import { type TestServer, testServer } from "../support/server.ts";

const noteRules = [
  {
    when: { role: "solo", call: 1, prompt: "note" },
    respond: {
      tool_calls: [
        { name: "fs.write", args: { path: "notes/tea.md", content: "tea\n", expected_hash: "", why: "asked" } },
      ],
    },
  },
  { when: { role: "solo", call: 2, prompt: "note" }, respond: { text: "The kettle is described." } },
];

async function listed(server: TestServer, query: string): Promise<readonly Record<string, never>[]> {
  const answer = await server.get(`/api/v1/sessions?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.sessions;
}

const ids = (rows: readonly Record<string, unknown>[]) => rows.map(({ session_id }) => session_id);

test("each answer, people, time and words filter the list, over all sessions; numbers sort it", async () => {
  await using server = await testServer({ rules: noteRules, files: { "AGENTS.md": "Say please.\n" } });
  const { workspace } = server;
  const greeting = (await workspace.ask("greet Ada")).session_id;
  const note = (await workspace.ask("write a note about tea", { allow: ["fs.write notes/**"] })).session_id;
  const all = await listed(server, "kind=work");
  expect(ids(all)).toEqual([note, greeting]);
  expect(all[0]).toMatchObject({ caller_id: workspace.runtime.caller, wrote: { count: 1, first: ["notes/tea.md"] } });
  expect(all[1]).toMatchObject({ saw: { first: expect.arrayContaining(["AGENTS.md"]) }, wrote: { count: 0 } });
  for (const [query, expected] of [
    ["wrote=TEA.md", [note]],
    ["tool=echo", [greeting]],
    ["tool=ech", []],
    ["skill=greet", [greeting]],
    ["allowed_by=FMWK-005&kind=work", [note, greeting]],
    ["saw=agents.md&skill=greet", [greeting]],
    [`caller=${encodeURIComponent(workspace.runtime.caller)}&kind=work`, [note, greeting]],
    ["caller=nobody", []],
    ["cost_above=1", []],
    ["q=kettle+tea", [note]],
    ["q=%22about+tea%22", [note]],
    ["q=kettle+ada", []],
    ["state=done&kind=work", [note, greeting]],
    ["state=running", []],
    ["since=2999-01-01", []],
    ["until=2999-01-01&kind=work", [note, greeting]],
    [
      "sort=events&kind=work",
      [...all].sort((a, b) => Number(b["events"]) - Number(a["events"])).map((row) => row["session_id"]),
    ],
  ] as const)
    expect(ids(await listed(server, query)), query).toEqual(expected);
  expect((await server.get("/api/v1/sessions?sort=beauty")).status).toBe(400);
  expect((await server.get("/api/v1/sessions?after=SES-x")).status).toBe(400);
});

test("work is kept apart from decisions, rejections and halts", async () => {
  await using server = await testServer();
  await server.workspace.ask("greet Ada");
  must(await server.workspace.runtime.halt(null, "wait"));
  must(await server.workspace.runtime.liftHalt());
  await server.workspace.order({ framework_id: "FMWK-404" });
  const count = async (kind: string) => (await listed(server, `kind=${kind}`)).length;
  expect([await count("work"), await count("halt"), await count("decision")]).toEqual([1, 2, 0]);
  expect(await listed(server, "kind=rejection")).toMatchObject([{ status: "rejected", state: "refused" }]);
});

test("a page goes on after its last, whatever it is sorted by, and none is left out", async () => {
  await using server = await testServer();
  const { workspace } = server;
  const model = await workspace.events((await workspace.ask("greet Ada")).session_id);
  for (let number = 0; number < 70; number++) await longSession(workspace.runtime.log, model, 4 + (number % 3));
  for (const sort of ["began", "events"]) {
    const seen: unknown[] = [];
    for (let after = ""; ; ) {
      const page = (await server.get(`/api/v1/sessions?limit=20&sort=${sort}${after}`)).json;
      seen.push(...ids(page.sessions));
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    expect(new Set(seen).size, sort).toBe(71);
    expect(seen.length, sort).toBe(71);
  }
  await expect.poll(async () => (await server.get("/api/v1/sessions?limit=1")).json.unread).toBe(0);
});

test("a catalog that is lost, or behind, is made anew from the log, and says the same", async () => {
  await using server = await testServer();
  const { workspace } = server;
  await workspace.ask("greet Ada");
  await workspace.ask("greet Grace");
  const before = await listed(server, "kind=work");
  const { store, log } = workspace.runtime;
  must(await store.dropCatalogued(before.map((row) => String(row["session_id"]))));
  const sources = { store, log, clock: systemClock, sessions: new SessionList(log, systemClock), shadowsOf: () => [] };
  const anew = new SessionCatalog(sources); // as a server that starts has it
  must(await anew.refresh());
  expect(anew.unread).toBe(0);
  expect(await listed(server, "kind=work")).toEqual(before);
});

test("what policies that only watched said is folded once, and lists read no history", async () => {
  await using server = await testServer();
  const { workspace } = server;
  const model = await workspace.events((await workspace.ask("greet Ada")).session_id);
  const session = must(await workspace.runtime.log.create({ tier: "ho1" }));
  for (const { type, actor, payload } of model.filter(({ type }) => type === "session.start" || type === "wo.started"))
    must(await session.append({ type, actor, payload } as EventInput));
  for (const shadow of [true, false])
    must(
      await session.append({
        type: "workflow.policy_gated",
        actor: "workflow",
        payload: {
          policy_id: "strict",
          kind: "role-permissions",
          decision: shadow ? "deny" : "allow",
          reason: "it says so",
          subject: "reviewer",
          shadow,
        },
      }),
    );
  must(await session.close({ ok: true, status: "success" }));
  const report = (await server.get("/api/v1/policies/shadows")).json;
  expect(report.policies).toEqual([{ policy_id: "strict", decisions: 1, stricter: 1, looser: 0 }]);
  let reads = 0;
  const { log } = workspace.runtime;
  const readBatches = log.readBatches.bind(log);
  log.readBatches = (...asked) => {
    reads += 1;
    return readBatches(...asked);
  };
  expect((await server.get("/api/v1/policies/shadows")).json).toEqual(report);
  await listed(server, "kind=work&q=ada&sort=cost");
  expect(reads).toBe(0);
});
