import { domainError } from "#core/errors";
import { type Clock, err, isJsonObject, ok, type Result } from "#core/values";
import { dismissed } from "./ask-person.ts";
import type { McpConnection, McpReading } from "./connection.ts";
import { visible } from "./visible.ts";

/** A resource or prompt as its server lists it. Words of a stranger. */
export interface McpListed {
  readonly name: string;
  /** Of a resource; empty for a prompt. */
  readonly uri: string;
}

export interface AskedPrompt {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

/** A text that a server gave to read. */
export interface ReadText {
  readonly uri: string;
  readonly text: string;
}

const maxListed = 1_000;
/** Texts of one answer, and the length of the address that each gives itself. */
const maxTexts = 256;
const maxUri = 1_024;

/** A resource that is watched is read again after this at the latest: a server may forget to tell. */
const keptMs = 60_000;
const mostKept = 64;
const largestKept = 256 * 1024;

interface ReadSourcesOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly connect: () => Promise<Result<McpConnection>>;
}

function sizeOf(texts: readonly ReadText[]): number {
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}

/** Resources and prompts of a server. What is no text is left out: it is read into a prompt. */
export function readSources({ server, clock, connect }: ReadSourcesOptions) {
  const kept = new Map<
    string,
    { readonly of: McpConnection; readonly until: number; readonly texts: readonly ReadText[] }
  >();
  const read = async (asked: McpReading, signal: AbortSignal): Promise<Result<unknown>> => {
    const connected = await connect();
    // A template reads without a call that could wait for a person.
    return connected.ok ? connected.value.read(asked, dismissed, signal) : connected;
  };
  const wrong = (what: string): Result<never> =>
    err(domainError("TOOL_ERROR", `the MCP server "${server}" answered with something that is no ${what}`));
  return {
    async list(what: "resources" | "prompts", signal: AbortSignal): Promise<Result<readonly McpListed[]>> {
      const connected = await connect();
      if (!connected.ok) return connected;
      const listed = await connected.value.list(what, signal);
      if (!listed.ok) return listed;
      return ok(
        listed.value.slice(0, maxListed).flatMap((each) => {
          const { name, uri = "" } = isJsonObject(each) ? each : {};
          return typeof name === "string" && typeof uri === "string" ? [{ name, uri }] : [];
        }),
      );
    },
    async readResource(uri: string, signal: AbortSignal): Promise<Result<readonly ReadText[]>> {
      const connected = await connect();
      if (!connected.ok) return connected;
      const known = kept.get(uri);
      if (known && known.of === connected.value && clock.monotonic() < known.until) return ok(known.texts);
      let isUpdated = false;
      // Watched before it is read, so that no update between the two is missed.
      const isWatched = await connected.value.watch(uri, () => {
        isUpdated = true;
        kept.delete(uri);
      });
      const result = await read({ method: "resources/read", params: { uri } }, signal);
      if (!result.ok) return result;
      const contents = isJsonObject(result.value) ? result.value["contents"] : undefined;
      if (!Array.isArray(contents)) return wrong("resource");
      const texts = contents.slice(0, maxTexts).flatMap((each) => textsIn(each, uri));
      const isKept = isWatched && !isUpdated && kept.size < mostKept && sizeOf(texts) <= largestKept;
      if (isKept) kept.set(uri, { of: connected.value, until: clock.monotonic() + keptMs, texts });
      else kept.delete(uri);
      return ok(texts);
    },
    async getPrompt({ name, args }: AskedPrompt, signal: AbortSignal): Promise<Result<readonly ReadText[]>> {
      const result = await read({ method: "prompts/get", params: { name, arguments: args } }, signal);
      if (!result.ok) return result;
      const messages = isJsonObject(result.value) ? result.value["messages"] : undefined;
      if (!Array.isArray(messages)) return wrong("prompt");
      return ok(
        messages.slice(0, maxTexts).flatMap((message) => {
          const content = isJsonObject(message) ? message["content"] : undefined;
          const blocks = Array.isArray(content) ? content.slice(0, maxTexts) : [content];
          return blocks.flatMap((block) => {
            const embedded = isJsonObject(block) ? block["resource"] : undefined;
            return [...textsIn(block, name), ...textsIn(embedded, name)];
          });
        }),
      );
    },
  };
}

function textsIn(value: unknown, from: string): readonly ReadText[] {
  if (!isJsonObject(value) || typeof value["text"] !== "string") return [];
  // It stands beside the text in the prompt, and is the server's own word too: nothing in it may look like ours.
  const uri = typeof value["uri"] === "string" ? value["uri"].slice(0, maxUri) : from;
  return [{ uri: visible(uri.toWellFormed()), text: value["text"].toWellFormed() }];
}
