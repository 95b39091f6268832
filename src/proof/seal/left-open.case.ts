import { describe, expect, test } from "vitest";
import type { Result, SessionId } from "#core/values";
import type { SessionLog } from "#log";
import { type Forged, forge } from "../../../test/support/forged-session.ts";
import { value, writeGreeting } from "../../../test/support/greeting-session.ts";
import type { SealingLog } from "./sealing-log.ts";

export interface LeftOpenUnderTest {
  /** The process that leaves it. */
  readonly log: () => SealingLog;
  /** That process ends, and another begins. */
  readonly another: () => Promise<SealingLog>;
  /** Puts other lines in the place of a session's. */
  readonly put: (session_id: SessionId, forged: Forged) => Promise<void>;
  /** Changes the text of the whole anchor log. */
  readonly changeAnchors: (change: (text: string) => string) => Promise<void>;
  /** Whether everything verifies. */
  readonly verify: () => Promise<boolean>;
}

/** A session is taken up as it was anchored or not at all (decision 33), whatever keeps the log and the anchors. */
export function leftOpenCases(name: string, subject: LeftOpenUnderTest): void {
  const leave = async (): Promise<SessionId> => {
    const session = await writeGreeting(subject.log(), { leaveOpen: true });
    value(await session.release());
    return session.session_id;
  };
  const reopen = async (session_id: SessionId): Promise<Result<SessionLog>> => {
    const next = await subject.another();
    const opened = await next.open(session_id);
    if (opened.ok) value(await opened.value.release());
    value(await next.shutdown());
    return opened;
  };
  const linesOf = async (session_id: SessionId): Promise<readonly string[]> => {
    const lines: string[] = [];
    for await (const batch of subject.log().readLines(session_id)) lines.push(...value(batch).map(({ text }) => text));
    return lines;
  };
  const refused = (message: string) => ({
    ok: false,
    error: { code: "LEDGER_CORRUPT", message: expect.stringContaining(message) },
  });

  describe(`${name}: a session that was left open`, () => {
    test("is anchored as it was left, and taken up as often as one likes", async () => {
      const session_id = await leave();
      let leaves = "";
      await subject.changeAnchors((text) => (leaves = text));
      const [leaf] = leaves.split("\n").filter((line) => line.includes(session_id));
      expect(JSON.parse(leaf ?? "{}")).toMatchObject({ seq: (await linesOf(session_id)).length, closed_at: null });
      expect((await reopen(session_id)).ok).toBe(true);
      expect((await reopen(session_id)).ok).toBe(true);
      expect(await subject.verify()).toBe(true);
    });

    test("is taken up in the process that left it, by the anchor that others read as well", async () => {
      const session_id = await leave();
      const opened = value(await subject.log().open(session_id));
      value(await opened.release());
      value(await value(await subject.log().open(session_id)).release());
    });

    test("is not taken up when somebody wrote it anew, with every hash and both ledgers to match", async () => {
      const session_id = await leave();
      const lines = await linesOf(session_id);
      const next = await subject.another();
      const forged = forge(lines, ({ payload, type }) =>
        type === "worker.report" ? { ...payload, output: "Hello, Mallory" } : payload,
      );
      await subject.put(session_id, forged);
      expect(await next.open(session_id)).toMatchObject(refused("is not the one that was anchored"));
      // It was let go of untouched: put right again, it goes on.
      await subject.put(
        session_id,
        forge(lines, ({ payload }) => payload),
      );
      value(await value(await next.open(session_id)).release());
      value(await next.shutdown());
    });

    test("is not taken up when its end was cut off with its ledgers", async () => {
      const session_id = await leave();
      const kept = (await linesOf(session_id)).slice(0, -3);
      await subject.put(
        session_id,
        forge(kept, ({ payload }) => payload),
      );
      expect(await reopen(session_id)).toMatchObject(refused("it ends before"));
    });

    test("is not taken up on the word of an anchor log that somebody else signed, or that was changed", async () => {
      const session_id = await leave();
      let signed = "";
      await subject.changeAnchors((text) => {
        signed = text;
        return text.replace(/"signature":"[^"]{8}/g, '"signature":"AAAAAAAA');
      });
      expect(await reopen(session_id)).toMatchObject(refused("is not signed by this workspace's key"));
      await subject.changeAnchors(() => signed.replace(/"seq":\d+/, '"seq":1'));
      expect(await reopen(session_id)).toMatchObject(refused("the anchor log does not verify"));
      await subject.changeAnchors(() => signed);
      expect((await reopen(session_id)).ok).toBe(true);
    });
  });
}
