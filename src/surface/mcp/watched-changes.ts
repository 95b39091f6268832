import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import { type Caller, isJsonObject } from "#core/values";
import type { McpChanges, McpList } from "./offer/mcp-offer.ts";

const lists: readonly (readonly [list: McpList, asked: string, kind: ServerEvent["kind"]])[] = [
  ["tools", "toolsListChanged", "tools_list_changed"],
  ["prompts", "promptsListChanged", "prompts_list_changed"],
  ["resources", "resourcesListChanged", "resources_list_changed"],
];

/** Resources that one connection, or one `subscriptions/listen`, subscribes to: each is followed for as long as it is open. */
export const mostSubscriptions = 64;

/** What one `subscriptions/listen` asks for. Nothing is watched before its stream is open, nor after that ended. */
export function watchedChanges(
  body: unknown,
  { changes, caller }: { readonly changes: McpChanges; readonly caller: Caller },
): ServerEventBus {
  const wanted = wantedBy(body);
  return {
    publish: () => undefined,
    subscribe(tell) {
      const ended = new AbortController();
      changes.watch({
        ...wanted,
        caller,
        onList: (changed) => {
          for (const [list, , kind] of lists) if (list === changed) tell({ kind } as ServerEvent);
        },
        onResource: (uri) => tell({ kind: "resource_updated", uri }),
        signal: ended.signal,
      });
      return () => ended.abort();
    },
  };
}

/** The lists and addresses that a `subscriptions/listen` names. */
export function wantedBy(body: unknown): { readonly lists: readonly McpList[]; readonly uris: readonly string[] } {
  const params = isJsonObject(body) ? body["params"] : undefined;
  const filter = isJsonObject(params) ? params["notifications"] : undefined;
  if (!isJsonObject(filter)) return { lists: [], uris: [] };
  const uris = filter["resourceSubscriptions"];
  return {
    lists: lists.filter(([, asked]) => filter[asked] === true).map(([list]) => list),
    uris: Array.isArray(uris)
      ? [...new Set(uris.filter((uri) => typeof uri === "string"))].slice(0, mostSubscriptions)
      : [],
  };
}
