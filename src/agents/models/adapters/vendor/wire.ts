import type { Clock } from "#core/values";

/** Observes one exchange with a server: what was sent, what came back, and whether the server fell silent or never ended. */
export interface Wire {
  readonly fetch: typeof globalThis.fetch;
  /** unsent: no byte of the request left. sent: it may have been acted upon. answering: a good status came back. */
  readonly stage: "unsent" | "sent" | "answering";
  readonly fault: "stalled" | "flooded" | undefined;
  /** Whether a request was attempted. */
  readonly isTried: boolean;
  close(): void;
}

export interface WireLimits {
  /** How long a body that has begun may be silent. Keep-alive lines of the server count as activity. */
  readonly idleMs: number;
  /** Size limit of one answer. */
  readonly maxBytes: number;
}

/** Error codes that mean that no connection was made, or none that was trusted, so that nothing can have been sent. */
const neverConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ETIMEDOUT|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_INVALID_URL|ERR_SSL_.*|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/;

export function openWire(clock: Clock, limits: WireLimits, controller: AbortController): Wire {
  let stage: Wire["stage"] = "unsent";
  let fault: Wire["fault"];
  let isTried = false;
  let received = 0;
  let cancelTimer: (() => void) | undefined;

  const rest = () => {
    cancelTimer?.();
    cancelTimer = undefined;
  };
  let body: TransformStreamDefaultController<Uint8Array> | undefined;
  const fail = (why: NonNullable<Wire["fault"]>) => {
    rest();
    fault ??= why;
    body?.error(new Error(why)); // a reader that does not look at the signal fails here
    controller.abort();
  };
  const alive = () => {
    rest();
    cancelTimer = clock.after(limits.idleMs, () => fail("stalled"));
  };
  const watch = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      start: (out) => void (body = out),
      transform(chunk, out) {
        received += chunk.byteLength;
        if (received > limits.maxBytes) return fail("flooded");
        alive();
        out.enqueue(chunk);
      },
      flush: rest,
    });

  return {
    get stage() {
      return stage;
    },
    get fault() {
      return fault;
    },
    get isTried() {
      return isTried;
    },
    close: rest,
    fetch: async (input, init) => {
      isTried = true;
      stage = "sent";
      let response: Response;
      try {
        // Not followed: a redirect would carry the key's header to wherever the server points.
        response = await globalThis.fetch(input, { ...init, redirect: "manual" });
      } catch (thrown) {
        if (neverConnected.test(codeOf(thrown) ?? "")) stage = "unsent";
        throw thrown;
      }
      if (response.ok) stage = "answering";
      if (!response.body) return response;
      alive();
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(watch()), { status, statusText, headers });
    },
  };
}

/** Network failures come wrapped; the code is on the innermost of the few layers. */
export function codeOf(thrown: unknown): string | undefined {
  let at = thrown;
  for (let depth = 0; depth < 5 && typeof at === "object" && at !== null; depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
    if ("errors" in at && Array.isArray(at.errors) && at.errors.length > 0) at = at.errors[0];
    else at = "cause" in at ? at.cause : undefined;
  }
  return undefined;
}
