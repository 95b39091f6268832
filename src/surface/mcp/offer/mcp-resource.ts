import type { Result } from "#core/values";
import type { McpRequest } from "./mcp-request.ts";

/** What a client can read by its address. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly size?: number;
}

/** Addresses that differ in their variables (RFC 6570). */
export interface McpResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType: string;
}

export type McpContents =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly bytes: Uint8Array };

export interface McpPage<T> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined on the last. */
  readonly next?: string;
}

export interface McpResources {
  readonly templates: readonly McpResourceTemplate[];
  /** `cursor` is the `next` of the page before. One that no page gave is `MALFORMED_INPUT`. */
  list(cursor: string | undefined, request: McpRequest): Promise<Result<McpPage<McpResource>>>;
  /** `NOT_FOUND` where the address names nothing. */
  read(uri: string, request: McpRequest): Promise<Result<readonly McpContents[]>>;
  /** Values of a template's variable that begin so. */
  completions(asked: McpVariable, request: McpRequest): Promise<Result<readonly string[]>>;
}

export interface McpVariable {
  readonly uriTemplate: string;
  readonly name: string;
  readonly begins: string;
}
