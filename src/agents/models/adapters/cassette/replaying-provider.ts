import { domainError } from "#core/errors";
import { err, ok } from "#core/values";
import type { Provider } from "../../provider.ts";
import { type Recorded, requestHash } from "./cassette.ts";

/** Says what is on the tape and nothing else: no network, no key. A question asked more often than recorded gets the last answer again. */
export function replayingProvider(
  recorded: Recorded,
  source: { readonly provider: string; readonly tape: string },
): Provider {
  const played = new Map<string, number>();
  return {
    id: `replay:${source.provider}`,
    async complete({ request, meta, onText }) {
      const hash = requestHash(request);
      const answers = recorded.get(hash);
      const count = played.get(hash) ?? 0;
      const answer = answers?.[Math.min(count, answers.length - 1)];
      if (!answer)
        return err(
          domainError(
            "PROVIDER_ERROR",
            `the cassette ${source.tape} holds no answer to call ${meta.call} of the ${meta.role} (model ${request.model}, request ${hash.slice(0, 12)}): what was asked differs from what was recorded; record it anew`,
            { retryable: false, details: { sent: false, request_hash: hash, cassette: source.tape } },
          ),
        );
      played.set(hash, count + 1);
      onText?.(answer.text);
      return ok(answer);
    },
  };
}
