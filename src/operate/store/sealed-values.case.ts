import { expect, test } from "vitest";
import type { Result } from "#core/values";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { SharedStoreCase } from "./shared-store.case.ts";

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

/** What every driver of the shared store does with sealed values, for two processes at once. */
export function sealedValueCases(driver: string, cases: SharedStoreCase): void {
  test(`on ${driver} a sealed value is its session's, lives as long as it was last kept for, and is gone when it is older`, async () => {
    const clock = manualClock();
    const [one, two] = await Promise.all([cases.open("sealed", clock), cases.open("sealed", clock)]);
    const row = (session_id: string, tag: string, expires_at: string, sealed = "bytes") => ({
      session_id,
      tag,
      kind: "password",
      origin: '{"from":"order"}',
      sealed,
      expires_at,
    });
    must(await one.putSealed([row("S", "a", "2026-01-01"), row("S", "b", "2026-02-01"), row("T", "a", "2026-02-01")]));
    must(await one.putSealed([row("S", "a", "2026-03-01", "again"), row("S", "b", "2026-01-01", "sooner")]));
    const found = async (session: string, now: string) =>
      must(await two.findSealed(session, ["a", "b", "c"], now))
        .map(({ tag, sealed, expires_at }) => `${tag} ${sealed} ${expires_at}`)
        .sort();
    expect(await found("S", "2026-01-15")).toEqual(["a again 2026-03-01", "b bytes 2026-02-01"]);
    expect(await found("S", "2026-02-01")).toEqual(["a again 2026-03-01"]);
    expect(await found("T", "2026-01-01")).toEqual([]); // it was removed with the other expired ones
    expect(must(await two.prune("2000-01-01T00:00:00.000Z", 9)).sealed_values).toBe(1);
    expect(await found("S", "2026-01-01")).toEqual([]);
    await one.close();
    await two.close();
  });
}
