import { domainError } from "#core/errors";
import { canonicalJson, err, isJsonObject, type JsonObject, ok, type Result, type Sha256, sha256 } from "#core/values";
import { plainJson } from "../tools/plain-json.ts";
import type { ToolAnnotations } from "../tools/tool.ts";
import { declaredMember } from "./declared-values.ts";
import { mirrorFault } from "./mirrored-arguments.ts";

/** A tool as its server describes it: every field, known to us or not. Data of a stranger. */
export interface WireTool {
  readonly tool: string;
  readonly definition: JsonObject;
  /** Of the whole definition in canonical form. */
  readonly hash: Sha256;
}

/** What a server offers: tools by their names there, and what could not be taken as a tool. */
export interface Offer {
  readonly tools: ReadonlyMap<string, WireTool>;
  readonly unusable: readonly { readonly tool: string; readonly why: string }[];
}

const maxTools = 1000;
const maxDefinitionBytes = 200 * 1024;
const maxNameLength = 256;

interface ReadOfferOptions {
  /** Arguments are also sent as headers on the way to this server. */
  readonly mirrors?: boolean;
}

/** Reads the tools of a listing, one by one: a broken one does not hide the others, and none counts twice. */
export function readOffer(listed: readonly unknown[], { mirrors = false }: ReadOfferOptions = {}): Offer {
  const tools = new Map<string, WireTool>();
  const unusable: { tool: string; why: string }[] = [];
  const twice = new Set<string>();
  for (const [index, each] of listed.entries()) {
    if (index >= maxTools) {
      unusable.push({ tool: `#${index}`, why: `the server offers more than ${maxTools} tools` });
      break;
    }
    const read = readWireTool(each, mirrors);
    if (!read.ok) {
      const name = isJsonObject(each) && typeof each["name"] === "string" ? each["name"] : `#${index}`;
      unusable.push({ tool: name.slice(0, maxNameLength), why: read.error.message });
    } else if (tools.has(read.value.tool)) twice.add(read.value.tool);
    else tools.set(read.value.tool, read.value);
  }
  for (const tool of twice) {
    tools.delete(tool); // which of the two would be called is not ours to guess
    unusable.push({ tool, why: "the server offers it twice" });
  }
  return { tools, unusable };
}

function readWireTool(value: unknown, mirrors: boolean): Result<WireTool> {
  const copy = plainJson(value, maxDefinitionBytes);
  if (!copy.ok) return copy;
  const definition = copy.value.value;
  if (!isJsonObject(definition)) return unreadable("it is no object");
  const { name, inputSchema, outputSchema, description } = definition;
  if (Object.hasOwn(definition, declaredMember))
    return unreadable(
      `it has a member "${declaredMember}": what its values are is said by a person, and not by its server`,
    );
  if (typeof name !== "string" || name === "" || name.length > maxNameLength)
    return unreadable(`it has no name of 1 to ${maxNameLength} characters`);
  if (!isJsonObject(inputSchema)) return unreadable("it has no inputSchema");
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) return unreadable("its outputSchema is no object");
  if (description !== undefined && typeof description !== "string") return unreadable("its description is no text");
  const fault = mirrors ? mirrorFault(inputSchema) : undefined;
  if (fault !== undefined) return unreadable(`it ${fault}`);
  return ok({ tool: name, definition: definition, hash: sha256(canonicalJson(definition)) });
}

function unreadable(message: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", message));
}

/** The server's own words about its tool. What it leaves out counts as the protocol says: the worst. */
export function annotationsOf(definition: JsonObject): ToolAnnotations {
  const hints = isJsonObject(definition["annotations"]) ? definition["annotations"] : {};
  const hint = (name: string): boolean | undefined => {
    const value = Object.hasOwn(hints, name) ? hints[name] : undefined;
    return typeof value === "boolean" ? value : undefined;
  };
  const readOnly = hint("readOnlyHint") ?? false;
  return {
    readOnly,
    destructive: hint("destructiveHint") ?? !readOnly,
    idempotent: hint("idempotentHint") ?? false,
    openWorld: hint("openWorldHint") ?? true,
  };
}
