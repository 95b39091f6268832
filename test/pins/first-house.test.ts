// Sessions on disk outlive the code that wrote them: what commit e3b8bd2e left is verified, shown, replayed and taken to its end.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Result, SessionId } from "#core/values";
import { type Event, replay, snapshotText } from "#log";
import { pinned } from "./pinned.ts";
import { openHouse, type RecordedHouse } from "./recorded-house.ts";

describe.each(["files", "postgres"] as const)("a workspace of the first house (%s)", (where) => {
  let house: RecordedHouse;
  beforeAll(async () => {
    house = await openHouse(where);
  });
  afterAll(() => house.close());

  const eventsOf = (session_id: SessionId) => house.inside(({ log }) => allOf(log.read(session_id)));

  /** By session, how often each type of event was written when it was taken to its end. */
  const written: string[] = [];

  /** Takes a session to its end, and checks that its record was gone on with and not repeated. */
  async function finish(name: string): Promise<void> {
    const session_id = house.session(name);
    const before = await eventsOf(session_id);
    const resumed = await house.inside((runtime) => runtime.resumeSession(session_id));
    expect(resumed, JSON.stringify(resumed)).toMatchObject({ ok: true, value: { status: "success" } });
    const after = await eventsOf(session_id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ type: "session.close", payload: { status: "success" } });
    written.push(`${name}: ${countsOf(after.slice(before.length)).join(", ")}`);
    const verified = await house.inside((runtime) => runtime.verifySession(session_id));
    expect(verified).toMatchObject({ ok: true, violations: [] });
  }

  test("every session and run verifies, from its bytes up", async () => {
    const { status, text, errors } = await house.cli("session", "verify", "--all", "--json");
    expect(status, errors + text).toBe(0);
    for (const run of ["run finished", "run open"])
      expect((await house.cli("runs", "verify", house.id(run))).status).toBe(0);
  });

  test("every session shows and replays as recorded, and together they hold the recorded types of events", async () => {
    const types = new Set<string>();
    const pages = new Map<string, string>();
    await house.inside(async ({ log, schemas }) => {
      for (const { session_id } of await allOf(log.list())) {
        const folded = await replay(session_id, { reader: log, schemas });
        if (!folded.ok) throw new Error(folded.error.message);
        for (const { type } of await allOf(log.read(session_id))) types.add(type);
        pages.set(session_id, snapshotText(folded.value));
      }
    });
    for (const [session_id, snapshot] of pages) {
      const shown = await house.cli("session", "show", session_id);
      expect(shown.status, shown.errors).toBe(0);
      pages.set(session_id, `===== ${session_id}\n${shown.text}--- replayed\n${snapshot}`);
    }
    const text = [...pages].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, page]) => page);
    await pinned(`first-house-${where}.txt`, text.join("\n").replaceAll(house.root, "ROOT"));
    await pinned("first-house-types.txt", `${[...types].toSorted().join("\n")}\n`);
  });

  test("a request that was killed goes on: the call that was cut off is made again, nothing before it is", async () => {
    house.forgetCalls();
    await finish("killed");
    expect(house.calls).toEqual(["peer.put s2", "peer.put s3"]);
  });

  test("a request that was halted goes on where it stopped", async () => {
    house.forgetCalls();
    await finish("halted");
    expect(house.calls).toEqual(["peer.put s2", "peer.put s3"]);
  });

  test("a call in doubt waits for a person's word, and is not made again when they say it was done", async () => {
    house.forgetCalls();
    const session_id = house.session("doubt");
    const waiting = await house.inside((runtime) => runtime.resumeSession(session_id));
    expect(waiting).toMatchObject({ ok: true, value: { status: "waiting", error_code: "EFFECT_IN_DOUBT" } });
    const invoke = (await eventsOf(session_id)).find((event) => event.type === "tool.invoke");
    const { call_id } = (invoke as Event<"tool.invoke">).payload;
    const said = await house.cli("session", "resolve", session_id, call_id, "--done", "--result", '{"booked":"room"}');
    expect(said.status, said.errors).toBe(0);
    await finish("doubt");
    expect(house.calls).toEqual([]);
  });

  test.each(["waiting", "parked"])("a session that waits for a person (%s) goes on with their word", async (name) => {
    const session_id = house.session(name);
    const listed = await house.cli("inbox", "--json");
    const { approvals } = JSON.parse(listed.text) as { approvals: { approval_id: string; session_id: string }[] };
    const [question] = approvals.filter((each) => each.session_id === session_id);
    const decided = await house.cli("inbox", "approve", question?.approval_id ?? "");
    expect(decided.status, decided.errors).toBe(0);
    await finish(name);
  });

  test("a run that was left open is finished, and one that is closed stays as it was", async () => {
    const worked = await house.cli("runs", "watch", house.id("run open"), "--work");
    expect(worked.status, worked.errors).toBe(0);
    for (const run of ["run finished", "run open"]) {
      const shown = await house.cli("runs", "show", house.id(run), "--json");
      expect(JSON.parse(shown.text)).toMatchObject({ run: { status: "closed", close_reason: "completed" } });
      expect((await house.cli("runs", "verify", house.id(run))).status).toBe(0);
    }
  });

  test("what was recorded was given back: only the rest was written, and the whole workspace still verifies", async () => {
    await pinned(`first-house-${where}-resumed.txt`, `${written.join("\n")}\n`);
    const { status, text, errors } = await house.cli("session", "verify", "--all");
    expect(status, errors + text).toBe(0);
  });
});

async function allOf<T>(results: AsyncIterable<Result<T>>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of results) {
    if (!each.ok) throw new Error(each.error.message);
    found.push(each.value);
  }
  return found;
}

/** Sorted, since reviewers who look at once may write in any order. */
function countsOf(events: readonly Event[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => `${count} ${type}`).toSorted();
}
