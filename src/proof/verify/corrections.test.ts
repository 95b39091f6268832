// What an auditor sees of corrections: verify and replay say the same.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ledgerRules, shippedRegistry } from "#core/contracts";
import type { SessionId } from "#core/values";
import { type Event } from "#log";
import { cli, cliJson } from "../../../test/support/cli.ts";
import { forge, putForged } from "../../../test/support/forged-session.ts";
import { eventsOf, value, writeGreeting } from "../../../test/support/greeting-session.ts";
import { SealedWorkspace } from "../../../test/support/sealed-workspace.ts";
import { verifyExported } from "../verify-exported/verify-exported.ts";

const workspace = new SealedWorkspace(61);
const place = mkdtempSync(join(tmpdir(), "writ-corrections-"));
let sound: Corrected;
let senseless: Corrected;
let noted: Corrected;
let forged: SessionId;
/** Corrections that are not about anything that the session holds. */
const unfounded = new Map<string, Corrected>();
const foreignId = "01JCQ8Y5M0WHOEVERWROTETHIS";

interface Corrected {
  readonly session_id: SessionId;
  /** The seq of the last correction. */
  readonly at: number;
}

interface Verdict {
  readonly ok: boolean;
  readonly violations: readonly { readonly kind: string; readonly at: number | null; readonly message: string }[];
  readonly notes: readonly { readonly kind: string }[];
  readonly proved: readonly string[];
}

beforeAll(async () => {
  sound = await corrected([{ output: "Hello, Ada L." }]);
  noted = await amended((report) => [
    { amends: report.id, amended_hash: report.hash },
    { amends: report.id },
    { amends: "none" }, // says nothing that could be wrong, and stands in logs of the first Writ
  ]);
  for (const correction of [{ correction: { output: "Hello, Eve" } }, {}]) {
    unfounded.set(
      `of an event that is not in the session${"correction" in correction ? "" : ", without saying what it should be"}`,
      await amended(({ hash }) => [
        { amends: foreignId, ...("correction" in correction ? correction : { amended_hash: hash }) },
      ]),
    );
    unfounded.set(
      `of an event with another hash${"correction" in correction ? "" : ", without saying what it should be"}`,
      await amended((report) => [
        { amends: report.id, amended_hash: report.hash },
        { amends: report.id, amended_hash: "ab".repeat(32), ...correction },
        { amends: report.id, amended_hash: report.hash },
      ]),
    );
  }
  senseless = await corrected([{ output: "Hello, Ada L." }, { output: 7 }]);
  forged = (await writeGreeting(workspace.log)).session_id;
  await workspace.shut();
  const lines = readFileSync(workspace.file(forged, ".events.jsonl"), "utf8").trimEnd().split("\n");
  putForged(
    workspace,
    forged,
    forge(lines, ({ type, payload }) => (type === "llm.response" ? { text: "no usage" } : payload)),
  );
});
afterAll(() => {
  workspace.remove();
  rmSync(place, { recursive: true });
});

async function corrected(corrections: readonly Record<string, string | number>[]): Promise<Corrected> {
  return amended((report) =>
    corrections.map((correction) => ({ amends: report.id, amended_hash: report.hash, correction })),
  );
}

type Amendment = Omit<Event<"event.amended">["payload"], "reason">;

async function amended(amendments: (report: Event) => readonly Amendment[]): Promise<Corrected> {
  const session = await writeGreeting(workspace.log, { leaveOpen: true });
  const report = (await eventsOf(workspace.log, session.session_id)).find(
    ({ type }) => type === "worker.report",
  ) as Event;
  let at = 0;
  for (const amendment of amendments(report)) {
    const payload = { reason: "it said so", ...amendment };
    at = value(await session.append({ type: "event.amended", actor: "ada@local", payload })).seq;
  }
  value(await session.close({ ok: true, status: "success" }));
  return { session_id: session.session_id, at };
}

describe("a correction that its event's contract does not allow", () => {
  test("is found by verify where replay refuses the session, and is named", async () => {
    const { status, json } = await cliJson<Verdict>(workspace.root, "session", "verify", senseless.session_id);
    expect([status, json.ok]).toEqual([1, false]);
    expect(json.violations).toMatchObject([{ kind: "correction", at: senseless.at }]);
    expect(json.violations[0]?.message).toContain("(worker.report)");
    const said = (await cli(workspace.root, "session", "verify", senseless.session_id)).stdout;
    expect(said).toContain("the session cannot be replayed");
    const replayed = await cli(workspace.root, "session", "replay", senseless.session_id);
    expect(replayed.status).toBe(1);
    expect(replayed.stderr).toContain("a correction makes event");
    expect((await cliJson<Verdict>(workspace.root, "session", "verify", "--all")).status).toBe(1);
  });

  test("is found in what was handed over, in each of its forms; of a pipe it is said that it was not looked for", async () => {
    const at = (name: string) => join(place, name);
    const { session_id } = senseless;
    await cli(workspace.root, "session", "export", session_id, "--out", at("folder"));
    await cli(workspace.root, "session", "export", session_id, "--bundle", "--out", at("page.html"));
    writeFileSync(
      at("events.jsonl"),
      (await cli(workspace.root, "session", "export", session_id, "--out", "-")).stdout,
    );
    for (const file of ["folder", "page.html", "events.jsonl"]) {
      const { status, json } = await cliJson<Verdict>(place, "session", "verify", "--file", at(file));
      expect([status, json.violations.map(({ kind }) => kind)], file).toEqual([1, ["correction"]]);
      expect(json.proved, file).toContain("chain");
      expect(json.proved, file).not.toContain("completeness");
    }
    const piped = await verifyExported({
      source: { input: pieces(readFileSync(at("page.html"))) },
      witnesses: { keys: [], checkpoint: undefined, proofs: [] },
      schemas: shippedRegistry(),
      rules: ledgerRules,
      signal: new AbortController().signal,
    });
    expect(value(piped).notes.map(({ kind }) => kind)).toContain("corrections_unread");
    expect(value(piped).not_proved).toContain("completeness");
  });
});

describe("a correction of what is not recorded", () => {
  test.each([
    "of an event that is not in the session",
    "of an event that is not in the session, without saying what it should be",
    "of an event with another hash",
    "of an event with another hash, without saying what it should be",
  ])("%s is named by verify and refused by replay", async (which) => {
    const { session_id, at } = unfounded.get(which) as Corrected;
    const bad = which.includes("hash") ? at - 1 : at;
    const { status, json } = await cliJson<Verdict>(workspace.root, "session", "verify", session_id);
    expect([status, json.violations]).toMatchObject([1, [{ kind: "correction", at: bad }]]);
    expect(json.violations[0]?.message).toContain(which.includes("hash") ? "abababababab" : foreignId);
    const replayed = await cliJson<{ error: { code: string; message: string } }>(
      workspace.root,
      "session",
      "replay",
      session_id,
    );
    expect([replayed.status, replayed.json.error.code]).toEqual([1, "SCHEMA_VIOLATION"]);
    expect(replayed.json.error.message).toContain(`event ${bad} (event.amended)`);
    expect(existsSync(workspace.file(session_id, "snapshot.json"))).toBe(false);
    const page = join(place, `${session_id}.html`);
    await cli(workspace.root, "session", "export", session_id, "--bundle", "--out", page);
    const outside = await cliJson<Verdict>(place, "session", "verify", "--file", page);
    expect([outside.status, outside.json.violations.map(({ kind }) => kind)]).toEqual([1, ["correction"]]);
  });

  test("an event that comes later was not there to be corrected", async () => {
    const { session_id } = sound;
    const lines = readFileSync(workspace.file(session_id, ".events.jsonl"), "utf8").trimEnd().split("\n");
    const { id } = JSON.parse(lines.at(-1) ?? "") as Event;
    const copy = join(place, "later.jsonl");
    const { events } = forge(lines, ({ type, payload }) =>
      type === "event.amended" ? { amends: id, reason: "foreseen", correction: {} } : payload,
    );
    writeFileSync(copy, events);
    const { json } = await cliJson<Verdict>(place, "session", "verify", "--file", copy);
    expect(json.violations.map(({ kind, at }) => [kind, at])).toEqual([["correction", sound.at]]);
  });
});

test("a remark that claims nothing wrong changes nothing that replay tells", async () => {
  const { session_id } = noted;
  const replayed = await cliJson<{ amended: string[]; output: string }>(
    workspace.root,
    "session",
    "replay",
    session_id,
  );
  expect([replayed.status, replayed.json.amended, replayed.json.output]).toEqual([0, [], "Hello, Ada"]);
  const verified = await cliJson<Verdict>(workspace.root, "session", "verify", session_id);
  expect([verified.status, verified.json.violations, verified.json.notes]).toEqual([0, [], []]);
});

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 4_096) yield bytes.subarray(at, at + 4_096);
}

test("a correction that makes sense is told by replay, and verify has nothing to say, in any form", async () => {
  const { session_id } = sound;
  const replayed = await cliJson<{ amended: string[] }>(workspace.root, "session", "replay", session_id);
  expect(replayed.json.amended).toHaveLength(1);
  const inside = await cliJson<Verdict>(workspace.root, "session", "verify", session_id);
  expect([inside.status, inside.json.violations, inside.json.notes]).toEqual([0, [], []]);
  const page = join(place, "sound.html");
  await cli(workspace.root, "session", "export", session_id, "--bundle", "--out", page);
  const outside = await cliJson<Verdict>(place, "session", "verify", "--file", page);
  expect([outside.status, outside.json.proved]).toEqual([0, ["chain", "ledgers", "completeness", "anchors"]]);
});

test("a session that goes on while it is verified is judged as far as it was read", async () => {
  const live = new SealedWorkspace(62);
  const session = await writeGreeting(live.log, { leaveOpen: true });
  const [first] = (await eventsOf(live.log, session.session_id)) as [Event];
  const payload = { amends: first.id, reason: "nothing", correction: {} };
  value(await session.append({ type: "event.amended", actor: "ada@local", payload }));
  const { readLines, readLedger } = live.reader;
  let reads = 0;
  const reader = Object.assign(live.reader, {
    async *readLines(id: SessionId) {
      if (++reads === 2)
        value(
          await session.append({
            type: "log.recovered",
            actor: "log",
            payload: { at_seq: 1, cut_bytes: 1, source: "file" },
          }),
        );
      yield* readLines.call(live.reader, id);
    },
    readLedger,
  });
  const { violations } = (await live.verifyOne(session.session_id, { reader })).sessions[0] ?? {};
  expect([reads, violations]).toEqual([2, []]);
  await live.shut();
  live.remove();
});

test("an event that does not keep its contract is refused by replay in words, as verify finds it", async () => {
  const verified = await cliJson<Verdict>(workspace.root, "session", "verify", forged);
  expect(verified.json.violations.map(({ kind }) => kind)).toContain("schema");
  const replayed = await cli(workspace.root, "session", "replay", forged);
  expect(replayed.status).toBe(1);
  expect(replayed.stderr).toContain("(llm.response)");
  expect(replayed.stderr).toContain("SCHEMA_VIOLATION");
});
