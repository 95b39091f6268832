import type { Postgres } from "#core/database";
import { ask, statementsBeside } from "#core/database";
import type { Result } from "#core/values";

export interface KeptText {
  readonly name: string;
  readonly text: string;
}

/** Texts that machines keep for each other, in the tables of the shared store. */
export interface KeptTexts {
  keepTexts(texts: readonly KeptText[]): Promise<Result<void>>;
  readTexts(names: readonly string[]): Promise<Result<readonly KeptText[]>>;
}

const sql = statementsBeside(import.meta.url, "shared");
const keep = sql("keep-texts");
const read = sql("read-texts");

export function postgresContractBlobs(postgres: Postgres): KeptTexts {
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
