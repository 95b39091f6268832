import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { shippedRegistry } from "#core/contracts";
import { createIds, type Result, type SessionId, systemClock, systemRandom } from "#core/values";
import { type EventInput, JsonlLog, type Tier } from "#log";
import { createRedactor } from "../../src/log/redaction/redactor.ts";

export interface RealLog {
  dispose(): Promise<void>;
  readonly root: string;
  readonly log: JsonlLog;
  /** A session with these events after its start; closed unless told otherwise. */
  session(options: SessionDraft): Promise<SessionId>;
}

export interface SessionDraft {
  readonly tier?: Tier;
  readonly work_order_id?: string;
  readonly framework_id?: string;
  readonly parent_session_id?: string;
  readonly events?: readonly EventInput[];
  readonly open?: boolean;
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** A log on disk in a temporary folder, removed when the test is over. */
export function testLog(): RealLog {
  const place = realLog();
  onTestFinished(() => place.dispose());
  return place;
}

function realLog(): RealLog {
  const root = mkdtempSync(join(tmpdir(), "writ-attention-"));
  const log = new JsonlLog({
    root,
    schemas: shippedRegistry(),
    redactor: must(createRedactor({ patterns: [] })),
    clock: systemClock,
    ids: createIds(systemClock, systemRandom),
  });
  return {
    root,
    log,
    async session(draft) {
      const session = must(await log.create({ tier: draft.tier ?? "ho1" }));
      must(
        session.stage({
          type: "session.start",
          actor: "flow",
          payload: {
            tier: draft.tier ?? "ho1",
            work_order_id: draft.work_order_id ?? "WO-20261115-001",
            framework_id: draft.framework_id ?? "FMWK-005",
            ...(draft.parent_session_id === undefined ? {} : { parent_session_id: draft.parent_session_id }),
          },
        }),
      );
      for (const event of draft.events ?? []) must(session.stage(event));
      if (draft.open) must(await session.release());
      else must(await session.close({ ok: true, status: "success" }));
      must(await log.flush());
      return session.session_id;
    },
    async dispose() {
      must(await log.shutdown());
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** An event with words in it. */
export function said(text: string, agent_id = "AGT-1"): EventInput<"worker.report"> {
  return {
    type: "worker.report",
    actor: "worker",
    payload: { agent_id, output: text, steps_completed: [], schema_version: "v1" },
  };
}
