import type { Screen } from "#core/terminal";
import type { Verification } from "#proof";

/** A record that cannot be read, because a disk or a database is away, is not proven; that does not mean it was changed. */
export function verdictOn(
  { ok, events, violations: [first] }: Pick<Verification, "ok" | "events" | "violations">,
  screen: Pick<Screen, "red" | "yellow">,
): string {
  if (ok) return `${events} events, chain verified`;
  if (first?.kind === "unreadable") return screen.yellow(`the record could not be read to verify it: ${first.message}`);
  return screen.red(`the record does not verify: ${first?.message ?? ""}`);
}
