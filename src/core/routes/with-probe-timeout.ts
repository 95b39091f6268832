import { domainError } from "../errors/domain-error.ts";
import { type Clock } from "../values/clock.ts";
import { err, type Result } from "../values/result.ts";

/** Probes commonly wait a second; a failover of the store takes longer. */
const probeMs = 800;

/** Answers `STORE_UNAVAILABLE` when the store takes longer than a probe waits. */
export async function withProbeTimeout<T>(asked: Promise<Result<T>>, clock: Clock): Promise<Result<T>> {
  let stop = (): void => undefined;
  const late = new Promise<Result<T>>((resolve) => {
    stop = clock.after(probeMs, () => resolve(err(domainError("STORE_UNAVAILABLE", "the store does not answer"))));
  });
  const first = await Promise.race([asked, late]);
  stop();
  return first;
}
