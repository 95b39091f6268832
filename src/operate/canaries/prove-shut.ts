import { type DomainError, domainError, messageOf } from "#core/errors";
import type { Canary, CanaryReport } from "#core/shapes";

/** Tries every gate. One that breaks while it is tried is not proven shut, so it counts as open. */
export async function proveShut(canaries: readonly Canary[]): Promise<readonly CanaryReport[]> {
  return Promise.all(
    canaries.map(async ({ id, title, attempt }) => {
      try {
        return { id, title, ...(await attempt()) };
      } catch (thrown) {
        return { id, title, held: false, detail: `the attempt itself broke: ${messageOf(thrown)}` };
      }
    }),
  );
}

/** Why work must not begin; undefined when every gate held. */
export function refuseStart(reports: readonly CanaryReport[]): DomainError | undefined {
  const open = reports.filter(({ held }) => !held);
  if (open.length === 0) return undefined;
  return domainError(
    "GATE_DENIED",
    `a gate that must be shut let something through: ${open.map(({ title, detail }) => `${title} (${detail})`).join("; ")}`,
    { details: { canaries: open, hint: "writ doctor says more; no work is taken until it is mended" } },
  );
}
