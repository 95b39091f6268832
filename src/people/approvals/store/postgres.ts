import type { Statement } from "#core/database";
import { ask, change, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import type { ApprovalStore, StoredApproval } from "./approval-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const add = sql("add-approval");
const find = sql("find-approval");
const list = sql("list-approvals");
const say = sql("say-word");
const takeBack = sql("take-back-word");
const decide = sql("decide-approval");

export function postgresApprovals(tables: Tables): ApprovalStore {
  const { tenant, postgres } = tables;
  const found = async (approval_id: string): Promise<StoredApproval | undefined> =>
    (await postgres.records(find, [tenant, approval_id])).map(approvalOf)[0];
  const changed = (query: Statement, values: readonly (string | null)[]) =>
    change(tables, async (transaction) => ok((await transaction.write(query, [tenant, ...values])).length > 0));
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
    storeDecision: ({ approval_id, subject_hash, decision, at }) => {
      const { choice, by, reason, result } = decision;
      return changed(say, [approval_id, subject_hash, choice, by, reason, result, at]);
    },
    withdrawDecision: ({ approval_id, choice }) => changed(takeBack, [approval_id, choice]),
    completeDecision: ({ approval_id, choice, at }) => changed(decide, [approval_id, choice, at]),
  };
}

function approvalOf(row: Readonly<Record<string, unknown>>): StoredApproval {
  const { choices, choice, decided_by, decided_at, decision_reason, result, ...asked } = row;
  const decision =
    choice === null ? null : { choice, by: decided_by, at: decided_at, reason: decision_reason ?? "", result };
  return { ...asked, choices: JSON.parse(String(choices)), decision } as unknown as StoredApproval;
}
