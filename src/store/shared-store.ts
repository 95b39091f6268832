import type { Result } from "#base";

/** What several processes of one workspace hold in common. Rebuilt from the events if it is lost. */
export interface SharedStore {
  /** The first of `count` numbers of that day (`YYYYMMDD`) that no other process will get. */
  takeWorkOrderNumbers(day: string, count: number): Result<number>;
  close(): void;
}
