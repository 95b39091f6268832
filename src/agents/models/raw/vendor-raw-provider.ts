import { domainError } from "#core/errors";
import { type Clock, err, ok } from "#core/values";
import { vendorError } from "../adapters/vendor/vendor-error.ts";
import { openWire } from "../adapters/vendor/wire.ts";
import type { Connection, Vendor } from "../provider-kind.ts";
import type { RawAnswer, RawProvider } from "./raw-provider.ts";

export interface RawVendorOptions {
  readonly vendor: Vendor;
  readonly connection: Connection;
  readonly clock: Clock;
  /** How long an answer that has begun may be silent. */
  readonly idleMs: number;
  readonly redact: (text: string) => string;
}

const maxBytes = 64 * 1024 * 1024;

/** The server of a profile. Its key is put in here, and bytes are asked for as they are, without compression. */
export function vendorRawProvider(options: RawVendorOptions): Pick<RawProvider, "ask"> {
  const { vendor, connection, clock, idleMs, redact } = options;
  return {
    async ask({ model, path, headers, body, signal, timeoutMs }) {
      const controller = new AbortController();
      const abort = () => controller.abort();
      if (signal.aborted) abort();
      signal.addEventListener("abort", abort, { once: true });
      let isLate = false;
      const cancelTimer = clock.after(timeoutMs, () => {
        isLate = true;
        abort();
      });
      const wire = openWire(clock, { idleMs, maxBytes }, controller);
      const release = () => {
        cancelTimer();
        wire.close();
        signal.removeEventListener("abort", abort);
      };
      const failed = (thrown: unknown) => {
        release();
        if (isLate)
          return err(
            domainError("PROVIDER_TIMEOUT", `${vendor.id} did not begin to answer within ${timeoutMs} ms`, {
              details: { limit_ms: timeoutMs },
            }),
          );
        return err(
          vendorError(thrown, {
            provider: vendor.id,
            model,
            baseUrl: connection.baseUrl,
            wire,
            idleMs,
            canceled: signal.aborted,
            nowMs: clock.now(),
            redact,
          }),
        );
      };
      try {
        const response = await wire.fetch(`${connection.baseUrl}${path}`, {
          method: "POST",
          headers: {
            ...vendor.headers(connection),
            "accept-encoding": "identity",
            ...headers,
            "content-type": "application/json",
          },
          body,
          signal: controller.signal,
        });
        cancelTimer();
        const reader = response.body?.getReader();
        const answer: RawAnswer = {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          async read() {
            try {
              const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
              if (done) release();
              return ok(done ? undefined : value);
            } catch (thrown) {
              return failed(thrown);
            }
          },
          close() {
            release();
            abort();
          },
        };
        return ok(answer);
      } catch (thrown) {
        return failed(thrown);
      }
    },
  };
}
