import { isJsonObject, parseJson } from "#core/values";
import { recordedLaunch } from "#workspace";
import type { ToolPin } from "./pin.ts";
import type { StoredToolPin } from "./store/tool-pin-store.ts";

/** What was approved, as the store keeps it; none where it cannot be read. */
export function pinOf(stored: StoredToolPin): readonly ToolPin[] {
  const { server, tool, name, hash } = stored;
  const launch = recordedLaunch(stored.launch);
  const definition = parseJson(stored.definition);
  if (!definition.ok || !isJsonObject(definition.value)) return []; // unreadable is unapproved
  return [{ server, tool, name, hash, launch, definition: definition.value }];
}
