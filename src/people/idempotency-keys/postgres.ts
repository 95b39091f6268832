import { ask, change, statementsBeside, type Tables } from "#core/database";
import { ok } from "#core/values";
import type { RequestKeyClaimed, RequestKeyStore } from "./request-key-store.ts";

const sql = statementsBeside(import.meta.url, "shared");
const claim = sql("claim-request-key");
const find = sql("find-request-key");
const finish = sql("finish-request-key");
const refuse = sql("refuse-request-key");

export function postgresRequestKeys(tables: Tables): RequestKeyStore {
  const { tenant, postgres } = tables;
  return {
    claimRequestKey: ({ name, request_hash, subject, claimed_at }) =>
      change<RequestKeyClaimed>(tables, async (transaction) => {
        const claiming = transaction.write(claim, [tenant, name, request_hash, subject, claimed_at]);
        const finding = transaction.rows(find, [tenant, name]);
        if ((await claiming).length > 0) return ok({ state: "new", subject, claimed_at });
        const [row] = (await finding) as readonly (readonly [string, string, string, number | null, string | null])[];
        if (!row || row[0] !== request_hash) return ok({ state: "different" });
        const [, firstSubject, firstClaimed, status, answer] = row;
        if (status !== null && answer !== null) return ok({ state: "done", status, answer });
        return ok({ state: "begun", subject: firstSubject, claimed_at: firstClaimed });
      }),
    finishRequestKey: ({ name, status, answer }) =>
      ask(tables, async () => {
        await postgres.rows(finish, [tenant, name, status, answer]);
      }),
    refuseRequestKey: (name) =>
      ask(tables, async () => {
        await postgres.rows(refuse, [tenant, name]);
      }),
  };
}
