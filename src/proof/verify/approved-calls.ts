import { canonicalJson, isJsonObject, type JsonObject, sha256 } from "#core/values";
import type { Event } from "#log";

/** Calls that a person was asked about, and those that they allowed: each for exactly the arguments that they were shown. */
export class ApprovedCalls {
  readonly #asked = new Map<string, Event<"approval.requested">["payload"]>();
  readonly #allowed = new Map<string, JsonObject>();

  ask({ payload }: Event<"approval.requested">): void {
    if (payload.kind === "tool_call") this.#asked.set(payload.approval_id, payload);
  }

  decide({ payload }: Event<"approval.decided">): void {
    const asked = this.#asked.get(payload.approval_id);
    this.#asked.delete(payload.approval_id); // recorded again after a crash it is still one decision, for one call
    if (payload.choice !== "approve" || asked?.subject_hash !== payload.subject_hash) return;
    const subject = asked.subject as JsonObject | undefined;
    if (!subject || sha256(canonicalJson(subject)) !== asked.subject_hash) return;
    const call_id = subject["call_id"];
    if (typeof call_id === "string") this.#allowed.set(call_id, subject);
  }

  /** Whether this very call was allowed. An approval is used up by it. */
  take({ payload }: Event<"tool.invoke">): boolean {
    const subject = this.#allowed.get(payload.call_id);
    this.#allowed.delete(payload.call_id);
    const args = subject?.["args"];
    return (
      subject?.["tool"] === payload.name && isJsonObject(args) && sha256(canonicalJson(args)) === payload.args_hash
    );
  }
}
