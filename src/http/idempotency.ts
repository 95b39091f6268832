import { type Clock, canonicalJson, domainError, err, isoTime, ok, type Result, sha256 } from "#base";
import type { SharedStore } from "#store";
import { type Call, json, type Reply, type Route } from "./route.ts";

export interface IdempotencyOptions {
  readonly store: Pick<SharedStore, "claimRequestKey" | "finishRequestKey">;
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
  readonly #underWay = new Map<string, Promise<Result<Reply>>>();

  constructor(options: IdempotencyOptions) {
    this.#options = options;
  }

  async once(route: Route, call: Call): Promise<Result<Reply>> {
    const key = call.header("idempotency-key");
    if (key === undefined || route.isSecret) return route.handle(call);
    if (!/^[\x21-\x7e]{1,200}$/.test(key))
      return err(domainError("MALFORMED_INPUT", "an Idempotency-Key has 1 to 200 visible ASCII characters"));
    const name = sha256(canonicalJson([call.caller.id, key]));
    const running = this.#underWay.get(name);
    if (running) return (await this.#sameRequest(name, route, call)) ?? running;
    const work = this.#claimed(name, route, call);
    this.#underWay.set(name, work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(name);
    }
  }

  async #sameRequest(name: string, route: Route, call: Call): Promise<Result<never> | undefined> {
    const claimed = await this.#claim(name, route, call, "");
    if (!claimed.ok) return claimed;
    return claimed.value.state === "different" ? reused() : undefined;
  }

  async #claim(name: string, route: Route, call: Call, subject: string) {
    const request_hash = sha256(
      canonicalJson([route.method, route.path, { ...call.params }, (call.body ?? null) as never]),
    );
    return this.#options.store.claimRequestKey({
      name,
      request_hash,
      subject,
      claimed_at: isoTime(this.#options.clock.now()),
    });
  }

  async #claimed(name: string, route: Route, call: Call): Promise<Result<Reply>> {
    const subject = await this.#options.nextSubject(route);
    if (!subject.ok) return subject;
    const claimed = await this.#claim(name, route, call, subject.value);
    if (!claimed.ok) return claimed;
    switch (claimed.value.state) {
      case "different":
        return reused();
      case "done":
        return ok(json(JSON.parse(claimed.value.answer) as object, claimed.value.status));
      case "new":
      case "begun": {
        const { subject: id, claimed_at } = claimed.value;
        const answer = await route.handle({ ...call, subject: { id, created_at: claimed_at } });
        // A refusal is not kept: the reason may pass, and nothing was made.
        if (!answer.ok || answer.value.kind !== "json") return answer;
        const { body, status = route.answer.status } = answer.value;
        const kept = await this.#options.store.finishRequestKey({ name, status, answer: JSON.stringify(body) });
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
