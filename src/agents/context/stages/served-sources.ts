import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, ok, type Result, sha256 } from "#core/values";
import type { Mandate } from "#governance/mandate";
import type { CustomStage } from "../pipeline/stage.ts";

/** Texts that MCP servers have to read. Acting reaches them, and thinking does not know how: `work` hands it in. */
export interface ServedSources {
  /** Refused where the order may not reach the server, or where that sees files that the order may not read. */
  read(asked: ServedSource, mandate: Mandate, signal: AbortSignal): Promise<Result<readonly ServedText[]>>;
}

export type ServedSource =
  | { readonly server: string; readonly resource: string }
  | { readonly server: string; readonly prompt: string; readonly args: Readonly<Record<string, string>> };

export interface ServedText {
  readonly uri: string;
  readonly text: string;
}

/**
 * The custom stage `mcp`: a resource of an MCP server (`server`, `resource`), or one of its prompts (`server`, `prompt`,
 * `arguments`). What a server says is untrusted: data, and never an instruction.
 */
export function servedStage(sources: () => ServedSources | undefined): CustomStage {
  return async (config, { request, meter }) => {
    const asked = sourceIn(config);
    if (!asked.ok) return asked;
    const found = await sources()?.read(asked.value, request.mandate, meter.signal);
    if (!found) return invalid("there are no MCP servers here");
    if (!found.ok) return found;
    const name = "resource" in asked.value ? "" : `prompt ${asked.value.prompt} `;
    return ok({
      fragments: found.value.map(({ uri, text }) => ({
        origin: `mcp:${asked.value.server}#${name}${uri}`,
        trust: "untrusted" as const,
        text,
        source_hash: sha256(text),
      })),
    });
  };
}

function sourceIn({ server, resource, prompt, arguments: args = {}, ...others }: JsonObject): Result<ServedSource> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return invalid(`there is no setting ${JSON.stringify(unknown)}`);
  if (typeof server !== "string") return invalid("server is the name of an MCP server of writ.yaml");
  if (typeof resource === "string" && prompt === undefined) return ok({ server, resource });
  if (typeof prompt !== "string" || resource !== undefined)
    return invalid("either resource (an address) or prompt (a name) says what is read");
  if (!isJsonObject(args) || !Object.values(args).every((each) => typeof each === "string"))
    return invalid("arguments of a prompt are texts");
  return ok({ server, prompt, args: args as Readonly<Record<string, string>> });
}

function invalid(why: string): Result<never> {
  return err(domainError("CONFIG_INVALID", `mcp: ${why}`));
}
