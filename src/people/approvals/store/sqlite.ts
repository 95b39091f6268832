import { type InsertRows, type Migration, orUnavailable, type Sqlite, type SqliteStatement } from "#core/database";
import type { ApprovalQuery, ApprovalStore, StoredApproval } from "./approval-store.ts";

export const approvalMigrations: readonly Migration[] = [
  {
    number: 1,
    name: "approvals",
    // Also an index over what was accepted and has no result: a server that starts looks for what a dead one left behind.
    sql: `
      CREATE TABLE approvals (
        tenant_id TEXT NOT NULL,
        approval_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        reason TEXT NOT NULL,
        author TEXT NOT NULL,
        session_id TEXT,
        run_id TEXT,
        subject TEXT NOT NULL,
        subject_hash TEXT NOT NULL,
        choices TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        choice TEXT,
        decided_by TEXT,
        decided_at TEXT,
        decision_reason TEXT,
        result TEXT,
        PRIMARY KEY (tenant_id, approval_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX approvals_by_time ON approvals (tenant_id, created_at, approval_id);
      CREATE INDEX approvals_open ON approvals (tenant_id, created_at) WHERE choice IS NULL;
      CREATE INDEX work_orders_unfinished ON work_orders (tenant_id, claimed_at) WHERE result IS NULL;
      CREATE INDEX approvals_by_session ON approvals (tenant_id, session_id) WHERE session_id IS NOT NULL;
    `,
  },
  {
    number: 2,
    name: "words-that-stand",
    // A pending decision leaves the question open: what is open has no time of its decision.
    sql: `
      DROP INDEX approvals_open;
      CREATE INDEX approvals_undecided ON approvals (tenant_id, created_at) WHERE decided_at IS NULL;
    `,
  },
];

interface Row extends Omit<StoredApproval, "choices" | "decision"> {
  readonly choices: string;
  readonly choice: string | null;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly decision_reason: string | null;
  readonly result: string | null;
}

const columns =
  "approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash, choices, created_at, expires_at, choice, decided_by, decided_at, decision_reason, result";

const newestFirst = "ORDER BY created_at DESC, approval_id DESC LIMIT @limit";

const guarded = orUnavailable("the inbox could not be kept");

export function sqliteApprovals(database: Sqlite, tenant: string): ApprovalStore {
  const insert = database.prepare(
    `INSERT INTO approvals (tenant_id, approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash, choices, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const find = database.prepare<[string, string], Row>(
    `SELECT ${columns} FROM approvals WHERE tenant_id = ? AND approval_id = ?`,
  );
  // One statement, so that of two who speak at once one comes too late.
  const say = database.prepare(
    `UPDATE approvals SET choice = ?, decided_by = ?, decision_reason = ?, result = ?
     WHERE tenant_id = ? AND approval_id = ? AND subject_hash = ? AND choice IS NULL AND expires_at > ?`,
  );
  const takeBack = database.prepare(
    `UPDATE approvals SET choice = NULL, decided_by = NULL, decision_reason = NULL, result = NULL
     WHERE tenant_id = ? AND approval_id = ? AND choice = ? AND decided_at IS NULL`,
  );
  const decide = database.prepare(
    "UPDATE approvals SET decided_at = ? WHERE tenant_id = ? AND approval_id = ? AND choice = ? AND decided_at IS NULL",
  );
  // Preparing one took longer than asking it, and the inbox is asked for all the time.
  const lists = new Map<string, SqliteStatement<[Record<string, unknown>], Row>>();
  const list = ({ decided, session_id, before, limit }: ApprovalQuery): readonly Row[] => {
    const wanted = ["tenant_id = @tenant"];
    if (decided !== undefined) wanted.push(decided ? "decided_at IS NOT NULL" : "decided_at IS NULL");
    if (session_id !== undefined) wanted.push("session_id = @session_id");
    if (before !== undefined)
      wanted.push(
        "(created_at, approval_id) < (SELECT created_at, approval_id FROM approvals WHERE tenant_id = @tenant AND approval_id = @before)",
      );
    const where = wanted.join(" AND ");
    const query =
      lists.get(where) ?? database.prepare(`SELECT ${columns} FROM approvals WHERE ${where} ${newestFirst}`);
    lists.set(where, query);
    return query.all({ tenant, session_id: session_id ?? null, before: before ?? null, limit });
  };
  return {
    addApproval: (asked) =>
      guarded(() => {
        const { approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash } = asked;
        const { choices, created_at, expires_at } = asked;
        insert.run(
          tenant,
          approval_id,
          kind,
          title,
          reason,
          author,
          session_id,
          run_id,
          subject,
          subject_hash,
          JSON.stringify(choices),
          created_at,
          expires_at,
        );
        const row = find.get(tenant, approval_id);
        return row ? approvalOf(row) : asked;
      }),
    findApproval: (approval_id) =>
      guarded(() => {
        const row = find.get(tenant, approval_id);
        return row && approvalOf(row);
      }),
    approvals: (query) => guarded(() => list(query).map(approvalOf)),
    storeDecision: ({ approval_id, subject_hash, decision, at }) =>
      guarded(() => {
        const { choice, by, reason, result } = decision;
        return say.run(choice, by, reason, result, tenant, approval_id, subject_hash, at).changes === 1;
      }),
    withdrawDecision: ({ approval_id, choice }) =>
      guarded(() => takeBack.run(tenant, approval_id, choice).changes === 1),
    completeDecision: ({ approval_id, choice, at }) =>
      guarded(() => decide.run(at, tenant, approval_id, choice).changes === 1),
  };
}

function approvalOf(row: Row): StoredApproval {
  const { choices, choice, decided_by, decided_at, decision_reason, result, ...asked } = row;
  const decision =
    choice === null ? null : { choice, by: decided_by ?? "", at: decided_at, reason: decision_reason ?? "", result };
  return { ...asked, choices: JSON.parse(choices) as readonly string[], decision };
}

/** Makes the table anew from what the events tell. */
export function rebuildApprovals(insert: InsertRows, approvals: readonly StoredApproval[]): void {
  insert(
    "approvals",
    columns.replaceAll(",", ""),
    approvals.map(({ decision, ...asked }) => ({
      ...asked,
      choices: JSON.stringify(asked.choices),
      choice: decision?.choice ?? null,
      decided_by: decision?.by ?? null,
      decided_at: decision?.at ?? null,
      decision_reason: decision?.reason ?? null,
      result: decision?.result ?? null,
    })),
  );
}
