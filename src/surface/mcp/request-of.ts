import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type Caller, isJsonObject, type JsonObject } from "#core/values";
import type { McpClientAbilities, McpRequest } from "./offer/mcp-request.ts";

/** The extension by which a request becomes a task. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

export interface RequestSources {
  readonly caller: Caller;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  /** What the client declared when it connected; since revision 2026-07-28 each request declares it anew. */
  readonly declared: () => ClientCapabilities | undefined;
  /** The tool or prompt that the request names. */
  readonly about: string | undefined;
}

/** Since revision 2026-07-28 each request says in an envelope what its client can do. */
export function isOfEarlierRevision({ mcpReq }: ServerContext): boolean {
  return mcpReq.envelope === undefined;
}

/** A request as what is offered sees it. */
export function requestOf({ mcpReq }: ServerContext, { caller, closing, declared, about }: RequestSources): McpRequest {
  const { progressToken } = mcpReq._meta ?? {};
  const state: unknown = mcpReq.requestState();
  if (isJsonObject(state) && state["about"] !== about)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "this requestState belongs to another request");
  return {
    caller,
    signal: AbortSignal.any([mcpReq.signal, closing]),
    client: abilitiesOf(clientOf(mcpReq.envelope) ?? declared()),
    wantsTask: false,
    progress: async (done) => {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...done } });
    },
    log: (level, data) => mcpReq.log(level, data, "writ"),
    answers: mcpReq.inputResponses ?? {},
    kept: isJsonObject(state) ? (state["keep"] as JsonObject | undefined) : undefined,
  };
}

function clientOf(envelope: object | undefined): ClientCapabilities | undefined {
  return envelope && CLIENT_CAPABILITIES_META_KEY in envelope
    ? (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities)
    : undefined;
}

function abilitiesOf(capabilities: ClientCapabilities | undefined): McpClientAbilities {
  const { elicitation, sampling, roots, extensions } = capabilities ?? {};
  return {
    // An empty object means forms, as before there were other modes.
    elicits: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    samples: sampling !== undefined,
    hasRoots: roots !== undefined,
    takesTasks: extensions !== undefined && Object.hasOwn(extensions, tasksExtension),
  };
}
