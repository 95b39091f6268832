// Rules over the recorded past, for programs and for the studio: reading is enough for a policy, a hook needs more.
import { afterAll, beforeAll, expect, test } from "vitest";
import { definitions, finding, findings, made } from "../support/cycle-workspace.ts";
import { draggingClock } from "../support/dragging-clock.ts";
import { type TestServer, testServer } from "../support/server.ts";

const gate = definitions["workflows/policies/tidy-gate.md"] ?? "";
const clock = draggingClock();
let api: TestServer;
let session: string;
beforeAll(async () => {
  api = await testServer({
    clock,
    rules: [
      { when: { persona: "maker" }, respond: made },
      { when: { persona: "sharp-eye" }, respond: findings(finding()) },
    ],
    config: {
      hooks: { Stop: [{ hooks: [{ type: "command", command: "true", id: "quiet" }] }] },
      identity: { callers: { "eve@corp": { roles: ["viewer"] } } },
    },
    files: {
      ...definitions,
      "workflows/policies/severity-gate.md": gate.replace("id: tidy-gate", "id: severity-gate\nshadow: true"),
      "workflows/cycles/tidy.md": (definitions["workflows/cycles/tidy.md"] ?? "").replace(
        "tidy-gate,",
        "tidy-gate, severity-gate,",
      ),
    },
  });
  const done = await api.post("/api/v1/workflows/tidy/runs", {}, { prefer: "wait=30" });
  session = done.json.session_id;
});
afterAll(() => api[Symbol.asyncDispose]());

test("policies are listed with their text and the cycles that ask them", async () => {
  const { json } = await api.get("/api/v1/policies");
  expect(json.policies.find(({ id }: { id: string }) => id === "tidy-gate")).toMatchObject({
    kind: "severity-routing",
    cycles: ["tidy"],
    text: gate,
  });
});

test("a policy by its id, or by the text of a draft; the past may be narrowed", async () => {
  const path = "/api/v1/policies/backtest";
  expect(await api.post(path, { policy: "tidy-gate" })).toMatchObject({
    status: 200,
    json: { candidate: { kind: "policy", id: "tidy-gate" }, sessions: { judged: 1 }, different: [], corrupt: [] },
  });
  const text = gate.replace("'P0', then", "'P2', then");
  expect((await api.post(path, { text })).json).toMatchObject({
    different: [{ session_id: session, phase: "look", recorded: { decision: "advisory" }, now: { decision: "deny" } }],
    outcomes: [{ now: { outcome: "abort" } }],
  });
  expect((await api.post(path, { text, since: "2099-01-01T00:00:00Z" })).json.sessions.read).toBe(0);
  expect((await api.post(path, { text, sessions: [session], cycle: "tidy" })).json.different).toHaveLength(1);
});

test("rules are evaluated at a pace, whose rests change nothing, and for two seconds at most", async () => {
  const text = gate.replace("'P0', then", "'P2', then");
  const judge = async (ms: number) => {
    clock.drag(ms);
    const { json } = await api.post("/api/v1/policies/backtest", { text: gate });
    clock.drag(0);
    return json;
  };
  const whole = await judge(0);
  expect(whole).toMatchObject({ complete: true, decisions: 1, sessions: { read: 1, judged: 1 } });
  expect(await judge(50)).toEqual(whole); // a rest after each rule
  // The second rule comes too late: of a session that is judged by half nothing is said.
  expect(await judge(3000)).toMatchObject({ complete: false, decisions: 0, sessions: { read: 1, judged: 0 } });
  clock.drag(50);
  expect((await api.post("/api/v1/policies/backtest", { text })).json.different).toHaveLength(1);
  clock.drag(0);
});

test("what cannot be judged is a problem with a way out, and no path is read for anybody", async () => {
  const path = "/api/v1/policies/backtest";
  expect(await api.post(path, { text: "no policy" })).toMatchObject({
    status: 400,
    json: { code: "MALFORMED_INPUT", detail: expect.stringContaining("it has no frontmatter") },
  });
  for (const policy of ["../../etc/passwd.md", "/etc/hosts.yaml", "workflows/policies/tidy-gate.md"])
    expect(await api.post(path, { policy })).toMatchObject({ status: 400, json: { code: "MALFORMED_INPUT" } });
  expect(await api.post(path, { policy: "nobody" })).toMatchObject({ status: 404 });
  expect(await api.post(path, { policy: "tidy-gate", text: gate })).toMatchObject({ status: 422 });
});

test("a hook runs on the server, so whoever may only look may not have one asked", async () => {
  const path = "/api/v1/policies/backtest";
  expect((await api.post(path, { policy: "quiet" })).json).toMatchObject({ candidate: { kind: "hook", id: "quiet" } });
  const { runtime } = api.workspace;
  const admin = runtime.localCaller();
  const key = admin.ok ? await runtime.keys.create(admin.value, { caller_id: "eve@corp" }) : admin;
  const viewer = { authorization: `Bearer ${key.ok ? key.value.key : ""}` };
  expect(await api.post(path, { policy: "quiet" }, viewer)).toMatchObject({
    status: 403,
    json: { code: "NOT_AUTHORIZED" },
  });
  expect(await api.post(path, { policy: "tidy-gate" }, viewer)).toMatchObject({ status: 200 });
});

test("shadows beside the real ones", async () => {
  const { json } = await api.get("/api/v1/policies/shadows");
  expect(json.decisions).toMatchObject([
    {
      session_id: session,
      policy_id: "severity-gate",
      shadow: { decision: "advisory" },
      real: [{ policy_id: "tidy-gate" }, { policy_id: "severity-gate" }],
    },
  ]);
  expect((await api.get("/api/v1/policies/shadows?cycle=code-review")).json.decisions).toEqual([]);
});
