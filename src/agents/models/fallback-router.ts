import type { DomainError } from "#core/errors";
import type { Router } from "./router.ts";

export interface RoutedProfile {
  readonly profile: string;
  readonly router: Router;
}

/**
 * Asks one profile after the other while the one before cannot be reached. Each try is a prompt of its own: announced
 * with its provider and model before anything leaves, paid from the same budget, behind a circuit breaker of its own.
 */
export function fallbackRouter(chain: readonly [RoutedProfile, ...RoutedProfile[]]): Router {
  const [first, ...others] = chain;
  if (others.length === 0) return first.router;
  const { exchange, speaks, serves } = first.router;
  return {
    // What a program wrote for one vendor, another one does not read.
    ...(exchange ? { exchange } : {}),
    ...(speaks ? { speaks } : {}),
    ...(serves ? { serves } : {}),
    // The smallest: whichever answers has to take the conversation in.
    windowOf(role) {
      const known = chain.flatMap(({ router }) => router.windowOf?.(role) ?? []);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    // Only where every one of them does: a picture may have to go to any.
    seesImages(role) {
      const known = chain.flatMap(({ router }) => router.seesImages?.(role) ?? []);
      return known.length === 0 ? undefined : known.every(Boolean);
    },
    async send(request) {
      const before = request.conversation.messages.length;
      let answered = await first.router.send(request);
      let failed = first.profile;
      for (const { profile, router } of others) {
        if (answered.ok || request.signal.aborted || !isUnreachable(answered.error)) break;
        const isInConversation = request.conversation.messages.length > before;
        const next = await router.send({
          ...request,
          messages: isInConversation ? [] : request.messages,
          fallback_from: { profile: failed, code: answered.error.code },
        });
        // What the budget does not pay for was no try: the failure before it is the one to tell.
        if (!next.ok && next.error.kind === "budget") break;
        answered = next;
        failed = profile;
      }
      return answered;
    },
  };
}

/** A wrong key, a wrong model name or a refused request is for a person to mend, not for another vendor to see. */
function isUnreachable(error: DomainError): boolean {
  return error.kind === "provider" && error.retryable;
}
