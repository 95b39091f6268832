import { migratePostgres, type Postgres, postgresFailure } from "#core/database";
import { err, ok, type Result, sha256 } from "#core/values";
import type { Documents } from "../../documents.ts";
import { changedDocument, isHash, malformedHash, noSuchDocument } from "../document-hash.ts";
import { kernelMigrations } from "./migrations.ts";
import { sql } from "./sql.ts";

const put = sql("put-document");
const get = sql("get-document");
const has = sql("has-document");

/** Documents as rows, by the hash of their bytes. Putting the same bytes again changes nothing. */
export async function postgresDocuments(
  postgres: Postgres,
  tenant: string = postgres.address.tenant,
): Promise<Result<Documents>> {
  const migrated = await migratePostgres(postgres, "kernel", kernelMigrations);
  if (!migrated.ok) return migrated;
  const answer = async <T>(ask: () => Promise<Result<T>>): Promise<Result<T>> => {
    try {
      return await postgres.retrying(ask);
    } catch (thrown) {
      return err(postgresFailure(thrown));
    }
  };
  return ok({
    put: (content) =>
      answer(async () => {
        const bytes = Buffer.from(content);
        const hash = sha256(bytes);
        await postgres.rows(put, [tenant, hash, bytes]);
        return ok({ sha256: hash, bytes: bytes.byteLength });
      }),
    get: (hash) =>
      answer(async () => {
        if (!isHash(hash)) return err(malformedHash(hash));
        const [row] = await postgres.rows(get, [tenant, hash]);
        if (!row) return err(noSuchDocument(hash));
        const content = row[0] as Uint8Array;
        return sha256(content) === hash ? ok(content) : err(changedDocument(hash));
      }),
    has: (hash) =>
      answer(async () => {
        if (!isHash(hash)) return err(malformedHash(hash));
        return ok((await postgres.rows(has, [tenant, hash])).length > 0);
      }),
  });
}
