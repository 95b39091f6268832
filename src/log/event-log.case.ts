import { describe, expect, test } from "vitest";
import { type EventId, type JsonValue, type SessionId, sha256 } from "#core/values";
import { halted, ledgerTexts, output, readAll, start, value } from "../../test/support/log.ts";
import { atWorkCases } from "./at-work.case.ts";
import { type Event } from "./event.ts";
import { type EventLog } from "./event-log.ts";
import { eventPayloadCases } from "./event-payloads.case.ts";
import type { LogUnderTest } from "./log-under-test.case.ts";
import { type PayloadRedactor } from "./payload-redactor.ts";
import { createRedactor } from "./redaction/redactor.ts";

/** The cases that every driver of the log passes. */
export function eventLogCases(name: string, subject: LogUnderTest): void {
  const fresh = async () => {
    const log = subject.open(subject.place());
    return { log, session: value(await log.create({ tier: "ho1" })) };
  };

  describe(`${name}: recording`, () => {
    test("gives each event the next seq and the hash before it", async () => {
      const { log, session } = await fresh();
      const first = value(await session.append(start));
      const second = value(await session.append(output("a")));
      expect([first.seq, second.seq, second.prev_hash]).toEqual([1, 2, first.hash]);
      expect(first.id < second.id).toBe(true);
      expect(await readAll(log, session.session_id)).toEqual([first, second]);
      expect(session.head).toEqual({ seq: 2, hash: second.hash });
    });

    test("keeps the order of the calls, whether or not each is awaited", async () => {
      const { log, session } = await fresh();
      const waits: Promise<unknown>[] = [];
      for (let index = 0; index < 200; index++) {
        if (index % 3 === 0) value(session.stage(output(index)));
        else waits.push(session.append(output(index)));
      }
      await Promise.all(waits);
      value(await session.append(output("last")));
      const events = await readAll(log, session.session_id);
      expect(events.map((event) => (event.payload as { content: unknown }).content)).toEqual([
        ...Array(200).keys(),
        "last",
      ]);
    });

    test("a staged event is durable with the next append", async () => {
      const { log, session } = await fresh();
      const staged = value(session.stage(start));
      value(await session.append(output(1)));
      expect((await readAll(log, session.session_id))[0]).toEqual(staged);
    });

    test("an event of an unknown type is refused, and the log says so", async () => {
      const { log, session } = await fresh();
      const outcome = await session.append({ type: "no.such", actor: "x", payload: {} } as never);
      expect(outcome).toMatchObject({ ok: false, error: { code: "SCHEMA_NOT_FOUND" } });
      expect(await readAll(log, session.session_id)).toMatchObject([
        { type: "schema.violation", payload: { schema_id: "no.such_v1" } },
      ]);
    });

    test("a payload that breaks its contract is refused, and the log says how", async () => {
      const { log, session } = await fresh();
      for (const outcome of [
        await session.append({ ...start, payload: { tier: "nowhere" } as never }),
        session.stage({ ...start, payload: {} as never }),
      ])
        expect(outcome).toMatchObject({ ok: false, error: { code: "SCHEMA_VIOLATION" } });
      value(await session.append(start));
      const events = await readAll(log, session.session_id);
      expect(events.map(({ type }) => type)).toEqual(["schema.violation", "schema.violation", "session.start"]);
    });

    test("what JSON cannot carry is refused before it is written", async () => {
      const { log, session } = await fresh();
      const cyclic: Record<string, unknown> = {};
      cyclic["self"] = cyclic;
      let deep: unknown = 1;
      for (let level = 0; level < 100_000; level++) deep = [deep];
      const bad = [
        Number.NaN,
        Number.POSITIVE_INFINITY,
        2 ** 60,
        "\ud800",
        undefined,
        1n,
        () => 1,
        new Date(0),
        cyclic,
        deep,
        { "\udfff": 1 },
      ];
      for (const content of bad) expect((await session.append(output(content as JsonValue))).ok).toBe(false);
      const events = await readAll(log, session.session_id);
      expect(events.map(({ type }) => type)).toEqual(bad.map(() => "schema.violation"));
    });

    test("an actor is a name", async () => {
      const { session } = await fresh();
      for (const actor of ["", "x".repeat(257), "\ud800", 7])
        expect((await session.append({ ...start, actor: actor as string })).ok).toBe(false);
      value(await session.append({ ...start, actor: 'a","hash":"0' }));
    });

    test("the parent of an event is a name or nothing", async () => {
      const { log, session } = await fresh();
      for (const parent_id of ["", "x".repeat(257), "\ud800", 7, {}, []])
        expect((await session.append({ ...start, parent_id: parent_id as never })).ok).toBe(false);
      const names = ["p\u00e4p\u00e4 \u{1f600}", '","hash":"0', "\u2028\u0000\\"];
      for (const name of names) value(await session.append({ ...start, parent_id: name as EventId, actor: name }));
      const events = (await readAll(log, session.session_id)).slice(6);
      expect(events.map(({ actor, parent_id }) => [actor, parent_id])).toEqual(names.map((name) => [name, name]));
    });

    test("the redacted payload is the one that is recorded, hashed and returned", async () => {
      const redactor: PayloadRedactor = {
        redactJson: (content) => ({
          value: JSON.parse(JSON.stringify(content).replaceAll("hunter2", "[redacted]")) as JsonValue,
        }),
      };
      const log = subject.open(subject.place(), { redactor });
      const session = value(await log.create({ tier: "ho1" }));
      const event = value(await session.append(output({ password: "hunter2" })));
      expect((event.payload as { content: unknown }).content).toEqual({ password: "[redacted]" });
      expect(JSON.stringify(await readAll(log, session.session_id))).not.toContain("hunter2");
    });

    test("a caller that changes a payload afterwards changes nothing, in events or ledgers", async () => {
      const place = subject.place();
      const log = subject.open(place, { redactor: value(createRedactor()) });
      const session = value(await log.create({ tier: "ho1" }));
      const said = { by: "operator", reason: "as said" };
      value(session.stage({ ...halted(""), payload: said }));
      said.reason = "changed";
      const appended = session.append({ ...halted(""), payload: said });
      said.reason = "changed again";
      value(await appended);
      said.reason = "with nobody else";
      const alone = session.append({ ...halted(""), payload: said });
      said.reason = "changed at last";
      const closed = session.close({ ok: true, status: "success" });
      value(await alone);
      value(await closed);
      value(await log.shutdown());
      const reader = subject.open(place);
      const events = await readAll(reader, session.session_id);
      const reasons = (await ledgerTexts(reader, session.session_id, "exec")).map((text) => JSON.parse(text) as Event);
      for (const recorded of [events.slice(0, 3), reasons])
        expect(recorded.map((event) => (event.payload as { reason: string }).reason)).toEqual([
          "as said",
          "changed",
          "with nobody else",
        ]);
      expect(events[3]?.payload).toMatchObject({ exec_head: reasons[2]?.hash });
    });

    test("a caller that changes a list in a payload changes nothing in the ledgers either", async () => {
      const log = subject.open(subject.place(), { redactor: value(createRedactor()) });
      const session = value(await log.create({ tier: "ho1" }));
      const allowed_tools = ["fs.read"];
      const payload = { skill: "reader", source: "asked", reason: "because", allowed_tools };
      const alone = session.append({ type: "skill.invoke", actor: "flow", payload });
      allowed_tools.push("fs.write");
      expect(value(await alone).seq).toBe(1);
      for (const ledger of ["exec", "evidence"] as const)
        expect((await ledgerTexts(log, session.session_id, ledger)).join()).not.toContain("fs.write");
    });

    test("a violation does not quote what the redactor hides", async () => {
      const redactor: PayloadRedactor = {
        redactJson: (content) => ({
          value: JSON.parse(JSON.stringify(content).replaceAll("hunter2", "[redacted]")) as JsonValue,
        }),
      };
      const log = subject.open(subject.place(), { redactor });
      const session = value(await log.create({ tier: "ho1" }));
      expect((await session.append({ ...start, payload: { tier: "hunter2", work_order_id: "x" } as never })).ok).toBe(
        false,
      );
      const lines: string[] = [];
      for await (const batch of log.readLines(session.session_id)) lines.push(...value(batch).map(({ text }) => text));
      expect(lines.join()).toContain("[redacted]");
      expect(lines.join()).not.toContain("hunter2");
    });
  });

  eventPayloadCases(name, subject);
  atWorkCases(name, subject);

  describe(`${name}: a session`, () => {
    test("that is closed names both ledger heads and takes nothing more", async () => {
      const { log, session } = await fresh();
      value(await session.append(start));
      value(session.stage(halted("a")));
      const closed = value(await session.close({ ok: false, status: "failure", reason: "halted" }));
      for (const outcome of [
        await session.append(start),
        session.stage(start),
        await session.close({ ok: true, status: "success" }),
      ])
        expect(outcome).toMatchObject({ ok: false, error: { code: "SESSION_CLOSED" } });
      const last = async (ledger: "exec" | "evidence") =>
        JSON.parse((await ledgerTexts(log, session.session_id, ledger)).at(-1) ?? "") as Event;
      expect(closed.payload).toMatchObject({
        exec_head: (await last("exec")).hash,
        exec_entries: 2,
        evidence_head: (await last("evidence")).hash,
        evidence_entries: 1,
      });
      expect(await log.open(session.session_id)).toMatchObject({ ok: false, error: { code: "SESSION_CLOSED" } });
    });

    test("cannot be closed past close(), which names the heads", async () => {
      const { session } = await fresh();
      const payload = { ok: true, status: "success", exec_head: sha256(""), evidence_head: sha256("") };
      expect((await session.append({ type: "session.close", actor: "flow", payload })).ok).toBe(false);
    });

    test("has one writer: a second is refused until the first releases it", async () => {
      const place = subject.place();
      const [first, second] = [subject.open(place), subject.open(place)];
      const session = value(await first.create({ tier: "ho2" }));
      value(await session.append(start));
      const refused = await second.open(session.session_id);
      expect(refused).toMatchObject({ ok: false, error: { code: "SESSION_BUSY", retryable: true } });
      expect(refused.ok ? "" : refused.error.message).toContain(String(process.pid));
      expect((await first.open(session.session_id)).ok).toBe(false);
      value(await session.release());
      expect(await session.append(halted("late"))).toMatchObject({ ok: false, error: { code: "SESSION_CLOSED" } });
      const taken = value(await second.open(session.session_id));
      expect(taken.tier).toBe("ho2");
      expect(value(await taken.append(halted("mine"))).seq).toBe(2);
      value(await taken.release());
      const back = value(await first.open(session.session_id));
      expect(value(await back.append(halted("again"))).seq).toBe(3);
      expect((await readAll(second, session.session_id)).length).toBe(3);
    });

    test("is created once: the same id cannot be created again, here or elsewhere", async () => {
      const place = subject.place();
      const [first, second] = [subject.open(place), subject.open(place)];
      const session = value(await first.create({ tier: "ho1" }));
      value(await session.append(start));
      for (const log of [first, second])
        expect(await log.create({ tier: "ho1", session_id: session.session_id })).toMatchObject({ ok: false });
    });

    test("continues after its process has shut down", async () => {
      const place = subject.place();
      const first = subject.open(place);
      const session = value(await first.create({ tier: "ho1" }));
      for (const event of [start, halted("a"), output("b")]) value(await session.append(event));
      value(await first.shutdown());
      expect(await session.append(halted("late"))).toMatchObject({
        ok: false,
        error: { code: "LEDGER_UNAVAILABLE", retryable: false },
      });
      const again = value(await subject.open(place).open(session.session_id));
      expect(again.head.seq).toBe(3);
      expect(value(await again.append(halted("c"))).seq).toBe(4);
    });

    test("that was never created is not found, and an id is never a path", async () => {
      const log = subject.open(subject.place());
      const missing = "SES-20261115-00000000000000000000" as SessionId;
      expect(await log.open(missing)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
      expect(await log.locate(missing)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
      for (const id of ["../../etc", "", "SES-20261115-../../x"] as SessionId[]) {
        expect((await log.open(id)).ok).toBe(false);
        expect((await log.create({ tier: "ho1", session_id: id })).ok).toBe(false);
        for await (const event of log.read(id)) expect(event.ok).toBe(false);
      }
    });
  });

  describe(`${name}: reading`, () => {
    test("sees every acknowledged event, from this log and from another", async () => {
      const place = subject.place();
      const [writer, reader] = [subject.open(place), subject.open(place)];
      const session = value(await writer.create({ tier: "hot" }));
      for (let seq = 1; seq <= 60; seq++) {
        value(await session.append(seq % 4 === 0 ? halted(`${seq}`) : output(seq)));
        if (seq % 20 === 0) value(await writer.flush());
        for (const log of [writer, reader]) expect((await readAll(log, session.session_id)).length).toBe(seq);
      }
      for (const ledger of ["exec", "evidence"] as const)
        expect(await ledgerTexts(reader, session.session_id, ledger)).toEqual(
          await ledgerTexts(writer, session.session_id, ledger),
        );
    });

    test("can begin in the middle", async () => {
      const { log, session } = await fresh();
      for (let seq = 1; seq <= 30; seq++) value(await session.append(output(seq)));
      for (const from of [1, 2, 17, 30, 31])
        expect((await readAll(log, session.session_id, from)).map(({ seq }) => seq)[0]).toBe(
          from > 30 ? undefined : from,
        );
    });

    test("follows a session live until it closes, from this log and from another", async () => {
      const place = subject.place();
      const [writer, reader] = [subject.open(place), subject.open(place)];
      const session = value(await writer.create({ tier: "ho1" }));
      value(await session.append(start));
      const { signal } = new AbortController();
      const seen = async (log: EventLog) => {
        const types: string[] = [];
        for await (const event of log.follow(session.session_id, { signal })) types.push(value(event).type);
        return types;
      };
      const followers = [seen(writer), seen(reader)];
      for (const event of [output(1), halted("x"), output(2)]) value(await session.append(event));
      value(await session.close({ ok: true, status: "success" }));
      for (const types of await Promise.all(followers))
        expect(types).toEqual(["session.start", "tool.output", "session.halted", "tool.output", "session.close"]);
    });

    test("a follower ends when its signal aborts", async () => {
      const { log, session } = await fresh();
      value(await session.append(start));
      const stop = new AbortController();
      let seen = 0;
      for await (const event of log.follow(session.session_id, { signal: stop.signal })) {
        seen += value(event).seq;
        stop.abort();
      }
      expect(seen).toBe(1);
    });

    test("lists sessions by what their first and last event say", async () => {
      const place = subject.place();
      const [writer, reader] = [subject.open(place), subject.open(place)];
      const [closed, open, silent] = [
        value(await writer.create({ tier: "ho1" })),
        value(await writer.create({ tier: "ho2" })),
        value(await writer.create({ tier: "hot" })),
      ];
      for (const session of [closed, open]) value(await session.append(start));
      const end = value(await closed.close({ ok: true, status: "success" }));
      const expected = [
        {
          session_id: closed.session_id,
          tier: "ho1",
          events: 2,
          head_hash: end.hash,
          closed: true,
          ok: true,
          status: "success",
          work_order_id: "WO-20261115-001",
        },
        { session_id: open.session_id, tier: "ho2", events: 1, closed: false, ok: null, status: null },
      ];
      for (const settle of [() => undefined, () => writer.flush(), () => writer.shutdown()]) {
        await settle();
        // The writer and a process that only reads list the same.
        for (const log of [reader, writer]) {
          const listed = [];
          for await (const info of log.list()) listed.push(value(info));
          expect(listed.some(({ session_id }) => session_id === silent.session_id)).toBe(false);
          expect(listed.toSorted((a, b) => (a.tier < b.tier ? -1 : 1))).toMatchObject(expected);
        }
      }
    });

    test("lists and reads a session that was released and opened again, from this log and from another", async () => {
      const place = subject.place();
      const [writer, reader] = [subject.open(place), subject.open(place)];
      const session = value(await writer.create({ tier: "ho1" }));
      value(await session.append(start));
      const seen = async () => {
        const logs = [writer, reader].map(async (log) => {
          const seqs: number[] = [];
          for await (const event of log.read(session.session_id)) seqs.push(value(event).seq);
          const listed: number[] = [];
          for await (const info of log.list()) listed.push(value(info).events);
          return { seqs, listed };
        });
        return Promise.all(logs);
      };
      value(await session.release());
      const released = { seqs: [1], listed: [1] };
      expect(await seen()).toEqual([released, released]);
      const again = value(await writer.open(session.session_id));
      value(await again.append(output("on")));
      const grown = { seqs: [1, 2], listed: [2] };
      expect(await seen()).toEqual([grown, grown]);
      value(await again.close({ ok: true, status: "success" }));
      value(await writer.flush());
      const closed = { seqs: [1, 2, 3], listed: [3] };
      expect(await seen()).toEqual([closed, closed]);
      value(await writer.shutdown());
      expect(await seen()).toEqual([closed, closed]);
      await reader.shutdown();
    });
  });
}
