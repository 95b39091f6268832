import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Result } from "#core/values";
import type { McpContents } from "./offer/mcp-resource.ts";
import { protocolError } from "./protocol-error.ts";
import type { Serving } from "./serving.ts";
import { mostSubscriptions } from "./watched-changes.ts";

/** `resources/list`, `resources/templates/list`, `resources/read` and, for earlier revisions, `resources/subscribe`. */
export function serveResources({ server }: McpServer, serving: Serving): void {
  const { resources, changes } = serving.offer;
  const or = <T>(result: Result<T>, where: string, uri?: string): T => {
    if (result.ok) return result.value;
    throw protocolError(result.error, {
      where,
      sanitizeError: serving.sanitizeError,
      ...(uri === undefined ? {} : { uri }),
    });
  };
  server.setRequestHandler("resources/list", async ({ params }, context) => {
    const page = or(await resources.list(params?.cursor, serving.requestOf(context)), "resources/list");
    return { resources: [...page.items], ...(page.next === undefined ? {} : { nextCursor: page.next }) };
  });
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...resources.templates] }));
  server.setRequestHandler("resources/read", async ({ params }, context) => {
    const contents = or(await resources.read(params.uri, serving.requestOf(context)), "resources/read", params.uri);
    return { contents: contents.map(sent) };
  });
  const subscribed = new Map<string, AbortController>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, context) => {
    if (!subscribed.has(uri) && subscribed.size >= mostSubscriptions)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `a connection subscribes to ${mostSubscriptions} resources at most; unsubscribe from one first`,
      );
    or(await resources.read(uri, serving.requestOf(context)), "resources/subscribe", uri);
    subscribed.get(uri)?.abort();
    const subscription = new AbortController();
    subscribed.set(uri, subscription);
    changes.watch({
      caller: serving.caller,
      lists: [],
      uris: [uri],
      onList: () => undefined,
      onResource: (changed) => void server.sendResourceUpdated({ uri: changed }).catch(serving.onProblem),
      signal: AbortSignal.any([subscription.signal, serving.connection]),
    });
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.get(uri)?.abort();
    subscribed.delete(uri);
    return {};
  });
}

function sent(contents: McpContents) {
  const { uri, mimeType } = contents;
  if ("text" in contents) return { uri, mimeType, text: contents.text };
  return { uri, mimeType, blob: Buffer.from(contents.bytes).toString("base64") };
}
