/** One step of a database's history. Numbered from 1 without a gap; never edited after release. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}
