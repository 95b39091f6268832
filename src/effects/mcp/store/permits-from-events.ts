import { canonicalJson, sha256 } from "#core/values";
import { type Event, inOrder, isEvent, type RecordedSession } from "#log";
import type { StoredApiKey } from "#people";
import type { StoredToolPin } from "./tool-pin-store.ts";

/**
 * What people permitted and took back: tools of servers, and API keys. A definition that no longer proves its hash is left
 * out, so that the tool is asked about again.
 */
export class PermitsFromEvents {
  readonly #acts: { readonly event: Event }[] = [];

  read({ events }: RecordedSession): void {
    for (const event of events)
      if (/^(tool\.(approved|withdrawn)|key\.(created|revoked))$/.test(event.type)) this.#acts.push({ event });
  }

  rebuilt(): { readonly toolPins: readonly StoredToolPin[]; readonly apiKeys: readonly StoredApiKey[] } {
    const pins = new Map<string, StoredToolPin>();
    const keys = new Map<string, StoredApiKey>();
    for (const { event } of inOrder(this.#acts)) {
      if (isEvent(event, "tool.approved")) {
        const { server, tool, name, hash, approved_by } = event.payload;
        const definition = canonicalJson(event.payload.definition);
        const launch = canonicalJson(event.payload.launch);
        const pin = { server, tool, name, hash, launch, definition, approved_at: event.ts, approved_by };
        if (sha256(definition) === hash) pins.set(pinned(pin), pin);
        else pins.delete(pinned(pin));
      } else if (isEvent(event, "tool.withdrawn")) {
        pins.delete(pinned(event.payload));
      } else if (isEvent(event, "key.created")) {
        const { key_id, key_sha256, caller_id, scope, note, created_by, expires_at } = event.payload;
        const made = { key_id, key_sha256, caller_id, scope, note, created_by, expires_at };
        keys.set(key_id, { ...made, created_at: event.ts, revoked_at: null, revoked_by: null });
      } else if (isEvent(event, "key.revoked")) {
        const key = keys.get(event.payload.key_id);
        if (key) keys.set(key.key_id, { ...key, revoked_at: event.ts, revoked_by: event.payload.revoked_by });
      }
    }
    return { toolPins: [...pins.values()], apiKeys: [...keys.values()] };
  }
}

function pinned({ server, tool }: { readonly server: string; readonly tool: string }): string {
  return JSON.stringify([server, tool]);
}
