import type { DomainError } from "#core/errors";
import type { Caller, Clock, Result } from "#core/values";
import { authorizeRoute } from "./authorize-route.ts";

/** The interval of the keep-alive of streams. */
const everyMs = 15_000;

export interface RecheckOptions {
  readonly clock: Clock;
  /** Authenticates by the credentials of the request. */
  readonly recognise: () => Promise<Result<Caller | undefined>>;
  readonly right: string;
  readonly onRefused: (error: DomainError) => void;
}

/**
 * Authenticates the caller of an open connection again and again, so that a revoked or expired key ends it. Returns how to
 * stop.
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

/** A store that does not answer is no refusal: the next check asks again. */
function refusalIn(recognised: Result<Caller | undefined>, right: string): DomainError | undefined {
  if (recognised.ok) return authorizeRoute(recognised.value, right);
  return recognised.error.kind === "store" || recognised.error.kind === "log" ? undefined : recognised.error;
}
