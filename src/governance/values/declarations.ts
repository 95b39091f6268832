import type { MandateV1 } from "#core/contracts";
import { nameMatcher } from "../paths/rights.ts";
import { leadsIn } from "./reach-in-text.ts";

/** Which values may go into which arguments, as a mandate has it. */
export type ValueRights = NonNullable<MandateV1["values"]>["rights"];

/** What judges where a framework says nothing: `off` has to stand there. */
export const unsaidRights: ValueRights = { pack: "standard" };

type Tools = NonNullable<ValueRights["tools"]>;
export type ToolDeclaration = Tools[string];
export type Sink = NonNullable<ToolDeclaration["args"]>[string];
export type Field = NonNullable<ToolDeclaration["fields"]>[string];

/** A path argument of Writ's own tools: a place of the workspace, which the order's scope may name. */
export const workspaceFile = "workspace_file";

const plain: Sink = { sink: "plain" };
const path: Sink = { sink: "object", kind: workspaceFile };

/**
 * What Writ says of its own tools. What they write stays in the workspace, whose paths the mandate holds; what a program may do
 * is the sandbox's matter, and only hosts in its command line are judged.
 */
const own: Readonly<Record<string, ToolDeclaration>> = {
  echo: { reads: true },
  "fs.read": { reads: true },
  "fs.list": { reads: true },
  "fs.search": { reads: true },
  "skill.load": { reads: true },
  "sources.search": { reads: true },
  todo: { reads: true },
  ask: { reads: true },
  delegate: { reads: true },
  "fs.write": { args: { path, "*": plain } },
  "fs.edit": { args: { path, "*": plain } },
  exec: { args: { command: { sink: "plain", kind: "hosts" }, "*": plain } },
};

/** Writ's own tools change nothing but the workspace: a test that is run twice, or a file that is written again, is no news. */
export function staysInWorkspace(tool: string): boolean {
  return Object.hasOwn(own, tool);
}

/** Looks declarations up by the tool's name: exact names before patterns, the person's before Writ's. */
export function declarationsOf(rights: ValueRights): (tool: string) => ToolDeclaration {
  const declared = rights.tools ?? {};
  const patterns = Object.entries(declared)
    .filter(([name]) => name.includes("*"))
    .map(([name, declaration]) => ({ matches: nameMatcher(name), declaration }));
  return (tool) =>
    (Object.hasOwn(declared, tool) ? declared[tool] : undefined) ??
    patterns.find(({ matches }) => matches(tool))?.declaration ??
    (Object.hasOwn(own, tool) ? own[tool] : undefined) ??
    {};
}

const contents = /^(?:body|contents?|text|description|messages?|notes?|comments?|summary|reply|html)$/;
const labels = /^(?:title|subject|filename|file_?name|label|heading|headline)$/;
const measures = /(?:^|_)(?:amount|price|total|sum|quantity|count|cost|fee)$/;
const ends = /^(?:end|until|to)_?(?:time|date|day|at)$/;
const times = /(?:^|_)(?:date|day|time|datetime|at|when|due|deadline)$/;
const secrets =
  /(?:password|passwd|token|secret|permission|permissions|role|scope|access|visibility|pin|credential)s?$/;
const identifiers = /^(?:(.+)_)?ids?$/;

/**
 * The class of an undeclared argument, by its name. It is only ever a guess: whatever it does not know reaches out,
 * and it gives an identifier no kind that a declared field could serve.
 */
export function guessSink(name: string, value: unknown): Sink {
  const plainName = plainNameOf(name);
  if (typeof value === "boolean") return { sink: "secret" };
  if (contents.test(plainName)) return { sink: "content" };
  if (labels.test(plainName)) return { sink: "label" };
  if (secrets.test(plainName)) return { sink: "secret" };
  if (measures.test(plainName)) return { sink: "measure" };
  if (ends.test(plainName)) return { sink: "plain" };
  if (times.test(plainName)) return { sink: "when" };
  if (identifiers.test(plainName)) return { sink: "object" };
  return { sink: "reach" };
}

const reaching =
  /(?:^|_)(?:to|cc|bcc|recipients?|receivers?|e?mails?|address(?:es)?|urls?|uris?|links?|hosts?|domains?|webhooks?|endpoints?|accounts?|iban|phones?|channels?|users?|usernames?|participants?|attendees|invitees|members?|payees?|contacts?)$/;

/**
 * Whether an argument counts as reaching out for want of anything better: neither its name nor its value says so. Such a guess
 * asks where a declaration would refuse.
 */
export function isGuessedReach(name: string, value: unknown): boolean {
  return !reaching.test(plainNameOf(name)) && leadsIn(String(value)).length === 0;
}

function plainNameOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll("-", "_");
}

/** The most specific declaration of an argument: its whole path, then each folder of it, then `*`. */
export function declaredSink({ args }: ToolDeclaration, names: readonly string[]): Sink | undefined {
  if (args === undefined) return undefined;
  for (let length = names.length; length > 0; length--) {
    const name = names.slice(0, length).join(".");
    if (Object.hasOwn(args, name)) return args[name];
  }
  return args["*"];
}

const destroying = /(?:^|[._-])(?:delete|remove|cancel|drop|destroy|purge|erase|revoke|clear)/i;

const takingAway =
  /^(?:delet|remov|cancel|drop|destr|purg|eras|revok|clear|discard|trash|wip(?:e|ing)|unshar|uninvit|unsubscrib|withdraw)/;

/** Whether a person's words say to take something away, in whatever form of the verb. */
export function saysToTakeAway(words: ReadonlySet<string>): boolean {
  return [...words].some((word) => takingAway.test(word));
}

export function destroys(tool: string, declaration: ToolDeclaration, annotated: boolean | undefined): boolean {
  return declaration.destroys ?? (annotated === true || takesAway(tool, declaration));
}

/** By what a person declared, or by its name. A server that annotates nothing counts as destructive in MCP, so that says little. */
export function takesAway(tool: string, declaration: ToolDeclaration): boolean {
  return declaration.destroys ?? destroying.test(tool.replace(/([a-z])([A-Z])/g, "$1_$2"));
}
