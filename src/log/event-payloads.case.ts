import { describe, expect, test } from "vitest";
import { canonicalJson, type JsonValue, maxJsonDepth, type Result, sha256 } from "#core/values";
import { halted, ledgerTexts, output, readAll, start, value } from "../../test/support/log.ts";
import { type Event } from "./event.ts";
import { type EventLog, type SessionLog } from "./event-log.ts";
import { parseLine } from "./line.ts";
import type { LogUnderTest } from "./log-under-test.case.ts";
import { createRedactor } from "./redaction/redactor.ts";

/** The cases about payloads that every driver of the log passes. */
export function eventPayloadCases(name: string, subject: LogUnderTest): void {
  const fresh = async () => {
    const log = subject.open(subject.place());
    return { log, session: value(await log.create({ tier: "ho1" })) };
  };

  describe(`${name}: payloads`, () => {
    test("of any size from one byte to the limit, and not above", async () => {
      const place = subject.place();
      const log = subject.open(place);
      const session = value(await log.create({ tier: "ho1" }));
      const hashes: string[] = [];
      for (const size of [1, 100, 65_535, 65_536, 524_288, 1_048_577, 8 * 2 ** 20 - 500]) {
        const text = "ä".repeat(size >> 1).padEnd(Math.max(1, size - (size >> 1)), "x");
        hashes.push(sha256(text));
        value(await session.append(output(text)));
      }
      expect((await session.append(output("x".repeat(8 * 2 ** 20)))).ok).toBe(false);
      value(await session.close({ ok: true, status: "success" }));
      value(await log.shutdown());
      const events = await readAll(subject.open(place), session.session_id);
      const read = events
        .filter((event) => event.type === "tool.output")
        .map((event) => sha256((event.payload as { content: string }).content));
      expect(read).toEqual(hashes);
    });

    test("of any text come back as they were", async () => {
      const { log, session } = await fresh();
      const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
      const texts = [all, "\u2028\u2029\u0000\u001f\u007f\ufeff", "🌍👩‍👩‍👧 e\u0301", '\\"\n\r\t</script>', ""];
      for (const text of texts) value(await session.append(output({ [text]: [text] })));
      const events = await readAll(log, session.session_id);
      expect(events.map((event) => (event.payload as { content: unknown }).content)).toEqual(
        texts.map((text) => ({ [text]: [text] })),
      );
    });

    test("of any number that a reader gets back come back as they were", async () => {
      const log = subject.open(subject.place(), { redactor: value(createRedactor()) });
      const session = value(await log.create({ tier: "ho1" }));
      const whole = [0, 9, 10, 999_999_999, 1e9, 1e9 + 1, 2 ** 31, 2 ** 32, 1e13 - 1, 1e13, 1e13 + 1, 2 ** 53 - 1];
      const broken = [0.1 + 0.2, 1e-7, 5e-324, 123_456_789.5, 1e9 + 0.5, 1e13 + 0.5, 2 ** 51 + 0.5];
      const numbers = [...whole, ...broken].flatMap((number) => [number, -number]);
      value(await session.append(output(numbers)));
      for (const number of [2 ** 53, 1e21, -1e21, Number.MAX_VALUE])
        expect((await session.append(output(number))).ok).toBe(false);
      const contents = (await readAll(log, session.session_id)).map(({ payload }) => payload as { content?: number[] });
      expect(contents[0]?.content).toEqual(numbers.map((number) => number + 0)); // -0 is 0
    });

    test("nest up to the limit, and prototype keys are plain data", async () => {
      const { log, session } = await fresh();
      let deep: JsonValue = 1;
      for (let level = 0; level < maxJsonDepth - 1; level++) deep = level % 2 ? [deep] : { deep };
      const odd = JSON.parse(
        '{"__proto__":{"polluted":1},"constructor":{"prototype":2},"hasOwnProperty":3,"10":1,"9":2,"":0}',
      ) as JsonValue;
      for (const content of [deep, odd]) value(await session.append(output(content)));
      const events = await readAll(log, session.session_id);
      expect(events.map((event) => canonicalJson((event.payload as { content: unknown }).content))).toEqual([
        canonicalJson(deep),
        canonicalJson(odd),
      ]);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    });
  });

  describe(`${name}: a payload whose getters call the log`, () => {
    const redactor = value(createRedactor());
    /** Runs with a redactor and without: both paths into the log read a payload while its line is half written. */
    const eachWay = async (act: (log: EventLog, one: SessionLog, other: SessionLog) => Promise<void>) => {
      for (const options of [{ redactor }, {}]) {
        const place = subject.place();
        const log = subject.open(place, options);
        const [one, other] = [value(await log.create({ tier: "ho1" })), value(await log.create({ tier: "ho1" }))];
        for (const session of [one, other]) value(await session.append(start));
        await act(log, one, other);
        const before = [one.head, other.head];
        for (const session of [one, other]) value(await session.append(halted("sound")));
        value(await log.shutdown());
        const reader = subject.open(place);
        for (const [index, session] of [one, other].entries()) {
          const events = await readAll(reader, session.session_id);
          expect(events.at(-2)).toMatchObject(before[index] as object);
          expect(events.at(-1)).toMatchObject(halted("sound"));
        }
        await reader.shutdown();
      }
    };

    test("cannot record anything, close or release a session: no line is damaged, its own is recorded", async () => {
      await eachWay(async (log, one, other) => {
        const inner: Promise<Result<unknown>>[] = [];
        const speak = () => {
          for (const session of [one, other]) {
            expect(session.stage(output("staged"))).toMatchObject({ ok: false, error: { code: "MALFORMED_INPUT" } });
            inner.push(session.append(output("nested")), session.append({ ...start, payload: {} as never }));
            inner.push(session.close({ ok: true, status: "success" }), session.release());
          }
          return "read";
        };
        const getter = Object.defineProperty({ z: "z" }, "a", { enumerable: true, get: speak }) as JsonValue;
        const proxy = new Proxy(
          { z: "z", a: "read" },
          { get: (of, key) => (speak(), Reflect.get(of, key) as unknown) },
        );
        const items = new Proxy(["read"], { get: (of, key) => (speak(), Reflect.get(of, key) as unknown) });
        for (const content of [getter, proxy, items]) value(await one.append(output(content)));
        expect(inner.length).toBeGreaterThan(0);
        for (const outcome of await Promise.all(inner))
          expect(outcome).toMatchObject({ ok: false, error: { code: "MALFORMED_INPUT" } });
        const events = await readAll(log, one.session_id);
        const written = { z: "z", a: "read" };
        expect(events.slice(1).map((event) => (event.payload as { content: unknown }).content)).toEqual([
          written,
          written,
          ["read"],
        ]);
        expect((await readAll(log, other.session_id)).length).toBe(1);
      });
    });

    test("on every read of it, also for the ledgers: nothing else is recorded, and all of its chains continue or none", async () => {
      await eachWay(async (log, one, other) => {
        const hash = sha256("");
        let recorded = 0;
        const actAt = (time: number, act: () => void): boolean => {
          let times = 0;
          const read = () => {
            if (++times === time) act();
            return "fs.read";
          };
          const payload = { call_id: "c", attempt: 1, status: "ok", result_hash: hash, duration_ms: 1 };
          Object.defineProperty(payload, "name", { enumerable: true, get: read });
          const before = one.head;
          try {
            value(one.stage({ type: "tool.result", actor: "tools", payload: payload as never }));
            recorded += 1;
          } catch {
            expect(one.head).toEqual(before);
          }
          return times >= time;
        };
        let time = 1;
        const speak = () => expect(other.stage(halted("nested")).ok).toBe(false);
        const fail = () => {
          throw new Error("not for you");
        };
        while (actAt(time, speak) && actAt(time, fail)) time += 1;
        expect(time).toBeGreaterThan(2);
        value(await one.append(halted("after")));
        const hashes = async (ledger: "exec" | "evidence") =>
          (await ledgerTexts(log, one.session_id, ledger)).map((text) => JSON.parse(text) as Event);
        const events = await readAll(log, one.session_id);
        expect(events.length).toBe(recorded + 2);
        const results = events.filter(({ type }) => type === "tool.result");
        for (const ledger of ["exec", "evidence"] as const) {
          const entries = (await hashes(ledger)).filter(({ type }) => type === ("TOOL_RESULT" as string));
          expect(entries.map(({ payload }) => (payload as { event_hash?: string }).event_hash)).toEqual(
            results.map((event) => event.hash),
          );
        }
        expect((await readAll(log, other.session_id)).length).toBe(1);
      });
    });

    test("cannot close a session whose ledger entries are still to be written: its own entry stays intact", async () => {
      await eachWay(async (log, one, other) => {
        for (let time = 1; time <= 8; time++) {
          let times = 0;
          let closed: Promise<Result<unknown>> | undefined;
          const read = () => {
            if (++times === time) closed = other.close({ ok: true, status: "success" });
            return "fs.read";
          };
          const payload = { call_id: "c", attempt: 1, status: "ok", result_hash: sha256(""), duration_ms: 1 };
          Object.defineProperty(payload, "name", { enumerable: true, get: read });
          const waiting = other.append(halted("first of its batch"));
          value(await one.append({ type: "tool.result", actor: "tools", payload: payload as never }));
          value(await waiting);
          expect((await closed)?.ok ?? false).toBe(false);
        }
        for (const session of [one, other])
          for (const ledger of ["exec", "evidence"] as const) {
            const entries = (await ledgerTexts(log, session.session_id, ledger)).map(parseLine);
            expect(entries.map((entry) => entry.ok)).toEqual(entries.map(() => true));
          }
      });
    });

    test("and throw leaves nothing behind", async () => {
      await eachWay(async (log, one) => {
        const read = () => {
          throw new Error("not for you");
        };
        const content = Object.defineProperty({ a: "x".repeat(100) }, "b", {
          enumerable: true,
          get: read,
        }) as JsonValue;
        await expect(one.append(output(content))).rejects.toThrow("not for you");
        expect(() => one.stage(output(content))).toThrow("not for you");
        expect((await readAll(log, one.session_id)).length).toBe(1);
      });
    });
  });
}
