import type { Postgres } from "#core/database";
import { ask, statementsBeside } from "#core/database";
import type { Result } from "#core/values";

export interface KeptText {
  readonly name: string;
  readonly text: string;
}

/** Contracts as texts in the tables of the shared store, where other machines find them. */
export interface ContractBlobs {
  keepTexts(texts: readonly KeptText[]): Promise<Result<void>>;
  readTexts(names: readonly string[]): Promise<Result<readonly KeptText[]>>;
}

const sql = statementsBeside(import.meta.url, "shared");
const keep = sql("keep-texts");
const read = sql("read-texts");

export function postgresContractBlobs(postgres: Postgres): ContractBlobs {
  const { tenant } = postgres.address;
  return {
    keepTexts: (texts) =>
      ask({ postgres }, async () => {
        await postgres.rows(keep, [tenant, texts.map(({ name }) => name), texts.map(({ text }) => text)]);
      }),
    readTexts: (names) =>
      ask({ postgres }, async () => (await postgres.records(read, [tenant, names])) as unknown as readonly KeptText[]),
  };
}
