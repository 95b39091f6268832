import type { EventLogV1 } from "#core/contracts";
import type { Sqlite } from "#core/database";
import type { RunId } from "#core/values";
import { type Command, type CommandKind, type Outcomes } from "../../src/runs/kernel/commands.ts";
import { foldRun, type RunView } from "../../src/runs/kernel/replay.ts";

/** Thrown the moment an invariant does not hold; the seed that led there is the report. */
export class Violation extends Error {
  override readonly name = "Violation";
}

export interface Checker {
  /** After every commit: the runs it touched, looked at on disk. */
  check(runs: Iterable<RunId>): void;
  /** Somebody was told that this happened. */
  acknowledged(command: Command, outcome: Outcomes[CommandKind]): void;
  /** Everything anybody was ever told is still true. */
  checkAcknowledged(): void;
  readonly commits: number;
}

interface History {
  seq: number;
  view: RunView;
  turn: number | null;
  readonly leases: Map<string, number>;
}

type Row = Record<string, string | number | null>;

/** Reads the tables with queries of its own: it trusts neither the rules nor the reader. */
export function createChecker(database: () => Sqlite): Checker {
  const histories = new Map<RunId, History>();
  const acks = new Map<string, () => string | undefined>();
  let statements = new Map<string, ReturnType<Sqlite["prepare"]>>();
  let on: Sqlite | undefined;
  let commits = 0;
  const all = (sql: string, ...values: unknown[]): Row[] => {
    if (on !== database()) {
      on = database();
      statements = new Map();
    }
    const statement = statements.get(sql) ?? on.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...values) as Row[];
  };
  const claim = (condition: boolean, message: () => string): void => {
    if (!condition) throw new Violation(message());
  };

  const checkRun = (runId: RunId): void => {
    const [run] = all(
      "SELECT status, close_reason, head_revision_id, paused, last_seq, open_work FROM run WHERE run_id = ?",
      runId,
    );
    if (!run) return;
    const history = histories.get(runId) ?? { seq: 0, view: foldRun([]), turn: null, leases: new Map() };
    histories.set(runId, history);
    claim(
      Number(run["last_seq"]) >= history.seq,
      () => `${runId}: the history shrank from ${history.seq} to ${run["last_seq"]}`,
    );
    const rows = all(
      "SELECT seq, run_id, event_type, payload, actor_id FROM event_log WHERE run_id = ? AND seq > ? ORDER BY seq",
      runId,
      history.seq,
    );
    for (const row of rows) checkEvent(runId, history, row);
    const spoken = (family: string): boolean => rows.some((row) => String(row["event_type"]).startsWith(family));
    claim(
      run["last_seq"] === history.seq,
      () => `${runId}: the counter says ${run["last_seq"]}, the history has ${history.seq}`,
    );
    checkState(runId, run, history.view);
    checkWork(runId, run, history);
    if (spoken("patch.") || spoken("revision.")) checkCanon(runId, run, history.view);
  };

  const checkEvent = (runId: RunId, history: History, row: Row): void => {
    const payload = JSON.parse(String(row["payload"])) as Row;
    const type = String(row["event_type"]);
    claim(row["seq"] === history.seq + 1, () => `${runId}: after event ${history.seq} comes ${row["seq"]}`);
    claim(row["actor_id"] !== "" && row["actor_id"] !== null, () => `${runId}: event ${row["seq"]} has no actor`);
    history.seq += 1;
    const workId = String(payload["work_id"]);
    const before = history.view.work.get(workId);
    if (type === "work.leased") {
      claim(before?.status === "queued", () => `${workId} was leased while ${before?.status}: two leases at once`);
      const epoch = Number(payload["lease_epoch"]);
      claim(
        epoch === (before?.lease_epoch ?? 0) + 1,
        () => `${workId}: epoch ${before?.lease_epoch} is followed by ${epoch}`,
      );
      history.leases.set(workId, (history.leases.get(workId) ?? 0) + 1);
    } else if (type === "work.requested") claim(before === undefined, () => `${workId} was requested twice`);
    else if (type === "work.canceled")
      claim(
        before?.status === "queued" || before?.status === "leased",
        () => `${workId} was canceled while ${before?.status}`,
      );
    else if (type.startsWith("work.")) {
      claim(before?.status === "leased", () => `${type} of ${workId} while ${before?.status}`);
      claim(
        payload["lease_epoch"] === before?.lease_epoch,
        () => `${type} of ${workId} under epoch ${payload["lease_epoch"]}, it is leased under ${before?.lease_epoch}`,
      );
    } else if (type === "app.turn.started") {
      claim(history.turn === null, () => `${runId}: turn ${payload["turn_epoch"]} began during turn ${history.turn}`);
      history.turn = Number(payload["turn_epoch"]);
    } else if (type === "app.turn.completed" || type === "app.turn.failed") {
      claim(
        history.turn === payload["turn_epoch"],
        () => `${runId}: turn ${payload["turn_epoch"]} ended, but turn ${history.turn} is under way`,
      );
      history.turn = null;
    } else if (type === "revision.created")
      claim(
        payload["parent_revision_id"] === history.view.head_revision_id,
        () => `${runId}: a revision on ${payload["parent_revision_id"]}, the head is ${history.view.head_revision_id}`,
      );
    else if (type === "patch.applied" || type === "patch.rejected") {
      const patch = history.view.patches.get(String(payload["patch_id"]));
      claim(patch !== undefined, () => `${runId}: ${type} of a patch that was never submitted`);
      claim(
        patch?.applied_in_revision_id === null && patch.rejected_in_revision_id === null,
        () => `${payload["patch_id"]} was settled twice`,
      );
    }
    if (history.view.status === "closed" && type !== "app.turn.completed")
      throw new Violation(`${runId}: ${type} after the run was closed`);
    history.view = foldRun([{ ...row, payload, created_at: "" } as unknown as EventLogV1], history.view);
  };

  const same = (runId: RunId, what: string, said: unknown, found: unknown): void =>
    claim(said === found, () => `${runId} ${what}: history ${String(said)}, record ${String(found)}`);

  const checkState = (runId: RunId, run: Row, view: RunView): void => {
    same(runId, "status", view.status, run["status"]);
    same(runId, "close reason", view.close_reason, run["close_reason"]);
    same(runId, "head", view.head_revision_id, run["head_revision_id"]);
    same(runId, "paused", view.paused ? 1 : 0, run["paused"]);
    claim(run["status"] === "active" || run["open_work"] === 0, () => `${runId} is closed with open work`);
  };

  const checkWork = (runId: RunId, run: Row, history: History): void => {
    const { view } = history;
    const items = all(
      "SELECT work_id, status, lease_epoch, lease_owner, retry_count, max_retries, depends_on, waiting_on, ready, open, objective FROM work_item WHERE run_id = ?",
      runId,
    );
    same(runId, "items", view.work.size, items.length);
    const statusOf = new Map(items.map((item) => [String(item["work_id"]), String(item["status"])]));
    const asked = new Set<string>();
    let open = 0;
    for (const item of items) {
      const id = String(item["work_id"]);
      const said = view.work.get(id);
      same(runId, `${id} status`, said?.status, item["status"]);
      same(runId, `${id} epoch`, said?.lease_epoch, item["lease_epoch"]);
      same(runId, `${id} retries`, said?.retry_count, item["retry_count"]);
      same(runId, `${id} owner`, said?.lease_owner, item["lease_owner"]);
      const isOpen = item["status"] === "queued" || item["status"] === "leased";
      if (isOpen) open += 1;
      same(runId, `${id} open`, isOpen ? 1 : 0, item["open"]);
      claim(!isOpen || run["status"] === "active", () => `${id} is ${item["status"]} in a closed run`);
      claim(
        Number(item["retry_count"]) <= Number(item["max_retries"]),
        () => `${id} was tried again more often than allowed`,
      );
      claim(
        (history.leases.get(id) ?? 0) <= Number(item["max_retries"]) + 1,
        () => `${id} was leased ${history.leases.get(id)} times, allowed are ${Number(item["max_retries"]) + 1}`,
      );
      const dependsOn = JSON.parse(String(item["depends_on"])) as string[];
      const waiting = dependsOn.filter((other) => statusOf.get(other) !== "completed").length;
      if (item["status"] === "queued") same(runId, `${id} waits on`, waiting, item["waiting_on"]);
      else if (item["status"] !== "canceled")
        claim(waiting === 0, () => `${id} is ${item["status"]} before what it depends on`);
      claim(
        item["ready"] === 0 || (item["status"] === "queued" && item["waiting_on"] === 0),
        () => `${id} is ready while ${item["status"]}`,
      );
      // The app names each thing it wants once: two items for one thing are one too many.
      claim(!asked.has(String(item["objective"])), () => `${runId}: two items for ${item["objective"]}`);
      asked.add(String(item["objective"]));
    }
    same(runId, "open work", open, run["open_work"]);
  };

  const checkCanon = (runId: RunId, run: Row, view: RunView): void => {
    const patches = all("SELECT * FROM patch WHERE run_id = ?", runId);
    same(runId, "patches", view.patches.size, patches.length);
    for (const patch of patches) {
      same(
        runId,
        `${patch["patch_id"]} applied in`,
        view.patches.get(String(patch["patch_id"]))?.applied_in_revision_id,
        patch["applied_in_revision_id"],
      );
      const source = patch["source_work_id"];
      claim(
        source === null || view.work.has(String(source)),
        () => `${patch["patch_id"]} of ${runId} comes from work of another run`,
      );
    }
    const revisions = all("SELECT * FROM revision WHERE run_id = ? ORDER BY rowid", runId);
    same(runId, "revisions", view.revisions.length, revisions.length);
    const applied = new Set<string>();
    let head: unknown = null;
    for (const revision of revisions) {
      same(runId, `parent of ${revision["revision_id"]}`, head, revision["parent_revision_id"]);
      head = revision["revision_id"];
      for (const patch of JSON.parse(String(revision["applied_patch_ids"])) as string[]) {
        claim(!applied.has(patch), () => `${patch} is applied in two revisions`);
        applied.add(patch);
      }
    }
    same(runId, "head of the chain", head, run["head_revision_id"]);
  };

  const expectRow = (what: string, sql: string, values: readonly unknown[]) => (): string | undefined =>
    all(sql, ...values).length > 0 ? undefined : what;

  return {
    get commits() {
      return commits;
    },
    check(runs) {
      commits += 1;
      for (const run of runs) checkRun(run);
    },
    acknowledged(command, outcome) {
      if (command.kind === "start_run")
        acks.set(
          command.run_id,
          expectRow(`${command.run_id} was acknowledged as started`, "SELECT 1 FROM run WHERE run_id = ?", [
            command.run_id,
          ]),
        );
      else if (command.kind === "submit_patch")
        acks.set(
          command.patch.patch_id,
          expectRow(
            `${command.patch.patch_id} was acknowledged`,
            "SELECT 1 FROM patch WHERE patch_id = ? AND run_id = ?",
            [command.patch.patch_id, command.run_id],
          ),
        );
      else if (command.kind === "complete_work") {
        const { run_id, work_id, lease_epoch } = command.lease;
        acks.set(
          work_id,
          expectRow(
            `${work_id} was acknowledged as completed under epoch ${lease_epoch}`,
            "SELECT 1 FROM work_item WHERE run_id = ? AND work_id = ? AND status = 'completed' AND lease_epoch = ?",
            [run_id, work_id, lease_epoch],
          ),
        );
      } else if (command.kind === "apply_turn") {
        const { run_id, turn_epoch } = command.turn;
        acks.set(
          `turn ${run_id}`,
          expectRow(
            `turn ${turn_epoch} of ${run_id} was acknowledged`,
            "SELECT 1 FROM run WHERE run_id = ? AND turn_applied_epoch >= ?",
            [run_id, turn_epoch],
          ),
        );
      } else if (command.kind === "claim_work")
        for (const lease of outcome as Outcomes["claim_work"])
          acks.set(
            `lease ${lease.work_id}`,
            expectRow(
              `${lease.work_id} was leased under epoch ${lease.lease_epoch}`,
              "SELECT 1 FROM work_item WHERE work_id = ? AND lease_epoch >= ?",
              [lease.work_id, lease.lease_epoch],
            ),
          );
    },
    checkAcknowledged() {
      for (const ack of acks.values()) {
        const missing = ack();
        if (missing !== undefined) throw new Violation(`${missing}, and is gone`);
      }
    },
  };
}
