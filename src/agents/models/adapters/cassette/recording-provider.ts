import type { CassetteEntryV1 } from "#core/contracts";
import { err } from "#core/values";
import type { Provider } from "../../provider.ts";
import { requestHash, type Tape } from "./cassette.ts";

const quoted = 120;

/** Asks the provider behind it and keeps what it says. An answer that cannot be kept is a failure: a tape with holes misleads. */
export function recordingProvider(provider: Provider, tape: Tape, redact: <T>(value: T) => T): Provider {
  return {
    id: provider.id,
    async complete(call) {
      const answered = await provider.complete(call);
      if (!answered.ok) return answered;
      const last = call.request.messages.at(-1)?.content ?? "";
      const entry: CassetteEntryV1 = {
        request_hash: requestHash(call.request),
        role: call.meta.role,
        model: call.request.model,
        asked: last.slice(0, quoted),
        response: { ...answered.value },
        schema_version: "v1",
      };
      const kept = await tape.append(`${JSON.stringify(redact(entry))}\n`);
      return kept.ok ? answered : err(kept.error);
    },
  };
}
