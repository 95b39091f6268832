import { type Clock, canonicalJson, domainError, err, isoTime, ok, type Result, sha256 } from "#base";
import type { RequestKeyStore } from "#store";
import { type Call, json, type Reply, type Route } from "./route.ts";

/** What a key may look like: visible ASCII. */
export const idempotencyKeyPattern = "^[!-~]{1,200}$";
const keyShape = new RegExp(idempotencyKeyPattern);

export interface IdempotencyOptions {
  readonly store: RequestKeyStore;
  readonly clock: Clock;
  /** What a new thing of this kind is called. */
  readonly nextSubject: (route: Route) => Promise<Result<string>>;
}

/**
 * A write that is asked for twice under one key happens once. The key is claimed before anything is done, together with
 * the name of what will be made; a repetition gets the kept answer, or, when the first died on its way, does it again
 * under the same name, which the rooms below recognise.
 */
export class Idempotency {
  readonly #options: IdempotencyOptions;
  readonly #underWay = new Map<string, { readonly request_hash: string; readonly answer: Promise<Result<Reply>> }>();

  constructor(options: IdempotencyOptions) {
    this.#options = options;
  }

  async once(route: Route, call: Call): Promise<Result<Reply>> {
    const key = call.header("idempotency-key");
    if (key === undefined || route.isSecret) return route.handle(call);
    if (!keyShape.test(key))
      return err(domainError("MALFORMED_INPUT", "an Idempotency-Key has 1 to 200 visible ASCII characters"));
    const name = sha256(canonicalJson([call.caller.id, key]));
    const request_hash = sha256(
      canonicalJson([route.method, route.path, { ...call.params }, (call.body ?? null) as never]),
    );
    // The store is not asked: the first may not have claimed the key yet, and only it knows what it will make.
    const running = this.#underWay.get(name);
    if (running) return running.request_hash === request_hash ? running.answer : reused();
    const answer = this.#claimed({ name, request_hash }, route, call);
    this.#underWay.set(name, { request_hash, answer });
    try {
      return await answer;
    } finally {
      this.#underWay.delete(name);
    }
  }

  async #claimed(
    { name, request_hash }: { readonly name: string; readonly request_hash: string },
    route: Route,
    call: Call,
  ): Promise<Result<Reply>> {
    const { store, clock, nextSubject } = this.#options;
    const subject = await nextSubject(route);
    if (!subject.ok) return subject;
    const claimed_at = isoTime(clock.now());
    const claimed = await store.claimRequestKey({ name, request_hash, subject: subject.value, claimed_at });
    if (!claimed.ok) return claimed;
    switch (claimed.value.state) {
      case "different":
        return reused();
      case "done":
        return ok(json(JSON.parse(claimed.value.answer) as object, claimed.value.status));
      case "new":
      case "begun": {
        const { subject: id, claimed_at: created_at } = claimed.value;
        const answer = await route.handle({ ...call, subject: { id, created_at } });
        if (!answer.ok) {
          await store.refuseRequestKey(name); // if it is not noted, the key is kept longer, and that is all
          return answer; // a refusal is not kept: the reason may pass, and nothing was made
        }
        if (answer.value.kind !== "json") return answer;
        const { body, status = route.answer.status } = answer.value;
        const kept = await store.finishRequestKey({ name, status, answer: JSON.stringify(body) });
        return kept.ok ? answer : kept;
      }
    }
  }
}

function reused(): Result<never> {
  return err(
    domainError("WRITE_CONFLICT", "this Idempotency-Key was used for another request; a new request needs a new key", {
      retryable: false,
    }),
  );
}
