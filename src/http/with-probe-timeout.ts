import { type Clock, domainError, err, type Result } from "#base";

/** Probes commonly wait a second; a store that fails over is waited for longer than that. */
const probeMs = 800;

/** What a store says while a probe still listens: one that has not answered by then is told as one that does not. */
export async function withProbeTimeout<T>(asked: Promise<Result<T>>, clock: Clock): Promise<Result<T>> {
  let stop = (): void => undefined;
  const late = new Promise<Result<T>>((resolve) => {
    stop = clock.after(probeMs, () => resolve(err(domainError("STORE_UNAVAILABLE", "the store does not answer"))));
  });
  const first = await Promise.race([asked, late]);
  stop();
  return first;
}
