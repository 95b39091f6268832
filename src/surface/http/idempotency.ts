import { domainError } from "#core/errors";
import { type BoundRoute, type Call, json, type Reply } from "#core/routes";
import { type Clock, canonicalJson, err, isoTime, ok, type Result, sha256 } from "#core/values";
import type { RequestKeyStore } from "#people";

/** What a key may look like: visible ASCII. */
export const idempotencyKeyPattern = "^[!-~]{1,200}$";
const keyShape = new RegExp(idempotencyKeyPattern);

/**
 * A write that is repeated under one key happens once. The key is claimed before anything is done, together with the id of
 * what will be created. A repetition gets the stored answer or, when the first process died on its way, acts again with
 * the same id, by which the places below find what exists.
 */
export class Idempotency {
  readonly #store: RequestKeyStore;
  readonly #clock: Clock;
  readonly #underWay = new Map<string, { readonly request_hash: string; readonly answer: Promise<Result<Reply>> }>();

  constructor(store: RequestKeyStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async once(route: BoundRoute, call: Call): Promise<Result<Reply>> {
    const key = call.header("idempotency-key");
    if (key === undefined || route.isSecret) return route.handle(call);
    if (!keyShape.test(key))
      return err(domainError("MALFORMED_INPUT", "an Idempotency-Key has 1 to 200 visible ASCII characters"));
    const name = sha256(canonicalJson([call.caller.id, key]));
    const request_hash = sha256(
      canonicalJson([route.method, route.path, { ...call.params }, (call.body ?? null) as never]),
    );
    // Answered without the store: the first request may not have claimed the key yet, and only it knows its reserved id.
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
    route: BoundRoute,
    call: Call,
  ): Promise<Result<Reply>> {
    const store = this.#store;
    const reserved = route.reserveId ? await route.reserveId() : ok("");
    if (!reserved.ok) return reserved;
    const claimed_at = isoTime(this.#clock.now());
    const claimed = await store.claimRequestKey({ name, request_hash, subject: reserved.value, claimed_at });
    if (!claimed.ok) return claimed;
    switch (claimed.value.state) {
      case "different":
        return reused();
      case "done":
        return ok(json(JSON.parse(claimed.value.answer) as object, claimed.value.status));
      case "new":
      case "begun": {
        const { subject: id, claimed_at: created_at } = claimed.value;
        const answer = await route.handle({ ...call, reservedId: { id, created_at } });
        if (!answer.ok) {
          await store.refuseRequestKey(name); // if this fails, the key is only kept longer
          return answer; // a refusal is not stored: its reason may pass, and nothing was created
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
