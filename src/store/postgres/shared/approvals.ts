import { ok } from "#base";
import type { StoredApproval } from "../../approvals.ts";
import type { SharedStore } from "../../shared-store.ts";
import { sql } from "./sql.ts";
import { ask, change, type Tables } from "./tables.ts";

const add = sql("add-approval");
const find = sql("find-approval");
const list = sql("list-approvals");
const decide = sql("decide-approval");

type Port = Pick<SharedStore, "addApproval" | "findApproval" | "approvals" | "decideApproval">;

export function approvals(tables: Tables): Port {
  const { tenant, postgres } = tables;
  const found = async (approval_id: string): Promise<StoredApproval | undefined> =>
    (await postgres.records(find, [tenant, approval_id])).map(approvalOf)[0];
  return {
    addApproval: (asked) =>
      ask(tables, async () => {
        const { approval_id, kind, title, reason, author, session_id, run_id, subject, subject_hash } = asked;
        const about = [kind, title, reason, author, session_id, run_id, subject, subject_hash];
        const { choices, created_at, expires_at } = asked;
        await postgres.rows(add, [tenant, approval_id, ...about, JSON.stringify(choices), created_at, expires_at]);
        return (await found(approval_id)) ?? asked;
      }),
    findApproval: (approval_id) => ask(tables, () => found(approval_id)),
    approvals: ({ decided, session_id, before, limit }) =>
      ask(tables, async () => {
        const wanted = [tenant, decided ?? null, session_id ?? null, before ?? null, limit];
        return (await postgres.records(list, wanted)).map(approvalOf);
      }),
    decideApproval: ({ approval_id, subject_hash, decision }) =>
      change(tables, async (transaction) => {
        const { choice, by, at, reason, result } = decision;
        const deciding = transaction.write(decide, [tenant, approval_id, subject_hash, choice, by, at, reason, result]);
        return ok((await deciding).length > 0);
      }),
  };
}

function approvalOf(row: Readonly<Record<string, unknown>>): StoredApproval {
  const { choices, choice, decided_by, decided_at, decision_reason, result, ...asked } = row;
  const decision =
    choice === null ? null : { choice, by: decided_by, at: decided_at, reason: decision_reason ?? "", result };
  return { ...asked, choices: JSON.parse(String(choices)), decision } as unknown as StoredApproval;
}
