import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { rehearseApps } from "../../src/runs/apps/rehearsal/rehearsals.ts";
import { repository } from "./writ.ts";

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

const folder = join(repository, "frameworks/FMWK-005_Agent_Orchestration/prompt_contracts");
const contracts = readdirSync(folder).map(
  (name) => parse(readFileSync(join(folder, name), "utf8")) as { contract_id: string; system: string },
);

/** The prompt contract under which a conversation is held, by its system prompt. */
export function contractOf(messages: readonly Message[]): string {
  const system = textOf(messages.find(({ role }) => role === "system")?.content).trim();
  return contracts.find((contract) => contract.system.trim() === system)?.contract_id ?? "none";
}

/** What the scripted model would say, for a model behind a socket: the same answers, asked for over the wire. */
export function scriptedMind(messages: readonly Message[]): {
  readonly text?: string;
  readonly calls?: { readonly name: string; readonly args: object }[];
} {
  const contract_id = contractOf(messages);
  const plain = messages.map(({ role, content }) => ({ role, content: textOf(content) }));
  const tools = contract_id === "PRC-RESEARCH-001" ? [{ name: "sources.search", input_schema: {} }] : [];
  const said = rehearseApps({
    request: { messages: plain, tools } as never,
    meta: { role: "worker", skill: null, call: 1, session_id: "SES", prompt: "", contract_id },
    signal: new AbortController().signal,
  });
  if (!said) throw new Error(`nobody follows ${contract_id}`);
  if ("text" in said) return { text: said.text };
  return { calls: said.toolCalls.map(({ name, args }) => ({ name: name.replaceAll(".", "__"), args })) };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}
