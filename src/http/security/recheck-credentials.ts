import type { Caller, Clock, DomainError, Result } from "#base";
import { authorizeRoute } from "./authorize-route.ts";

/** As often as a stream is kept alive. */
const everyMs = 15_000;

export interface RecheckOptions {
  readonly clock: Clock;
  /** Who they are by what they showed when they came. */
  readonly recognise: () => Promise<Result<Caller | undefined>>;
  readonly right: string;
  readonly onRefused: (error: DomainError) => void;
}

/**
 * Whoever holds a connection open is recognised anew for as long as they do: a key that was taken back, or has run out, ends
 * what it opened. Returns how to stop asking.
 */
export function recheckCredentials({ clock, recognise, right, onRefused }: RecheckOptions): () => void {
  let isStopped = false;
  let cancel = (): void => undefined;
  const wait = (): void => {
    cancel = clock.after(everyMs, () => void ask());
  };
  const ask = async (): Promise<void> => {
    const refused = refusalIn(await recognise(), right);
    if (isStopped) return;
    if (refused) onRefused(refused);
    else wait();
  };
  wait();
  return () => {
    isStopped = true;
    cancel();
  };
}

/** A store that does not answer has refused nobody: it is asked again. */
function refusalIn(recognised: Result<Caller | undefined>, right: string): DomainError | undefined {
  if (recognised.ok) return authorizeRoute(recognised.value, right);
  return recognised.error.kind === "store" || recognised.error.kind === "log" ? undefined : recognised.error;
}
