import type { MandateV1 } from "#core/contracts";
import { canonicalJson, type JsonObject, type JsonValue } from "#core/values";
import type { Event } from "#log";
import { compileGlob } from "../paths/glob.ts";
import { ValueApprovals } from "./approvals.ts";
import { daysIn } from "./days.ts";
import { declarationsOf, type ToolDeclaration, type ValueRights } from "./declarations.ts";
import { withApproved } from "./merge-declarations.ts";
import { withOrderArgs } from "./order-args.ts";
import { type ResultSource, readResult } from "./result-source.ts";
import { type Words, wordsIn } from "./words.ts";

/** A text that a person wrote, with the place where it is recorded. */
export interface PersonText extends Words {
  readonly ref: string;
  readonly days: ReadonlySet<string>;
}

/** What a call returned, before it is known whether the person's words selected it. */
export interface OwnSource extends Omit<ResultSource, "named"> {
  /** Undefined where no call is recorded that it answers, or where nothing that a person says selects it. */
  readonly args: JsonObject | undefined;
  /** How many of the session's messages of persons came before it. */
  readonly saidBefore: number;
  /** Hashes of the files that it was read from. */
  readonly files: readonly string[];
}

interface MadeCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly acted: boolean;
}

/**
 * What one session says, reads and writes, folded from its events: its own index is made of it, and it is a part of the index of
 * each session that rests on it.
 */
export class SessionValues {
  readonly #prefix: string;
  #rights: ValueRights | undefined;
  #declarationOf: (tool: string) => ToolDeclaration = () => ({});
  #isTrustedFile: (path: string) => boolean = () => false;
  #isJudged = false;
  /** The words of its order: a person's, unless another agent handed it down. */
  prompt: PersonText | undefined;
  readonly messages: PersonText[] = [];
  /** What the order itself names, besides the words of its request. */
  order: Words = wordsIn("");
  scope: (path: string) => boolean = () => false;
  readonly sources: OwnSource[] = [];
  /** Files that turns of it wrote, by the hash of what they wrote. */
  readonly written: Set<string> = new Set<string>();
  /** What people allowed beyond their words. */
  readonly approvals: ValueApprovals = new ValueApprovals();
  readonly #calls = new Map<string, MadeCall>();
  readonly #filesRead = new Map<string, readonly string[]>();
  /** Calls of whose results their server says that it does not vouch for them. */
  readonly #lowered = new Set<string>();
  readonly #trustedReads = new Set<string>();
  readonly #made = new Map<string, number>();
  readonly #madeOf = new Map<string, number>();

  /** Values of another session are known by its name. `rights` are those of the session whose index it is a part of. */
  constructor(elsewhere?: { readonly session_id: string; readonly rights: ValueRights }) {
    this.#prefix = elsewhere ? `${elsewhere.session_id}/` : "";
    if (elsewhere) this.#take(elsewhere.rights);
  }

  get rights(): ValueRights | undefined {
    return this.#rights;
  }

  get declarationOf(): (tool: string) => ToolDeclaration {
    return this.#declarationOf;
  }

  see(event: Event): void {
    if (event.type === "wo.started") this.#begin(event.payload);
    if (!this.#rights) return;
    this.approvals.see(event);
    switch (event.type) {
      case "thread.message":
        this.messages.push(this.#text(event.payload.text, event.payload.message_id));
        break;
      case "tool.invoke":
        this.#called(event.payload);
        break;
      case "tool.result":
        this.#read(event.payload);
        break;
      case "turn.committed":
        for (const { sha256 } of event.payload.outputs) if (sha256 !== null) this.written.add(sha256);
        break;
      case "tool.output":
        if (event.payload.shown && !event.payload.is_error) this.#returned(event.payload);
        break;
      default:
    }
  }

  /** How often exactly this call was made before. */
  timesMade(tool: string, args: JsonObject): number {
    return this.#made.get(`${tool} ${canonicalJson(args)}`) ?? 0;
  }

  timesCalled(tool: string): number {
    return this.#madeOf.get(tool) ?? 0;
  }

  #begin({ mandate, work_order }: Event<"wo.started">["payload"]): void {
    const rights = mandate?.values && withApproved(mandate.values.rights, mandate.values.approved);
    this.#isJudged = rights !== undefined && rights.pack !== "off";
    if (!this.#rights && this.#isJudged && rights) this.#take(rights);
    if (!this.#rights) return;
    if (mandate) {
      this.#declarationOf = withOrderArgs(declarationsOf(this.#rights), mandate);
      this.scope = scopeOf(mandate);
      this.#isTrustedFile = trustedFiles(this.#rights, mandate);
    }
    const { input, tool_permissions, ...rest } = work_order as {
      input?: JsonObject;
      tool_permissions?: JsonValue;
    } & JsonObject;
    const { prompt, ...parameters } = input ?? {};
    if (typeof prompt === "string") this.prompt = this.#text(prompt, "order#/input/prompt");
    const own = [parameters, tool_permissions ?? null, rest["title"] ?? null, rest["description"] ?? null];
    this.order = wordsIn(textsOf(own).join("\n"));
  }

  #take(rights: ValueRights): void {
    this.#rights = rights;
    this.#declarationOf = declarationsOf(rights);
  }

  #text(text: string, place: string): PersonText {
    const words = wordsIn(text);
    return { ...words, ref: `${this.#prefix}${place}`, days: daysIn(words.text) };
  }

  /** What a person answers to a question of the agent are their words. */
  #answered(call_id: string, content: unknown): void {
    const { answered, answer } = (content ?? {}) as { readonly answered?: unknown; readonly answer?: unknown };
    if (answered === true && typeof answer === "string") this.messages.push(this.#text(answer, call_id));
  }

  #called({ call_id, name, args, verdict, attempt }: Event<"tool.invoke">["payload"]): void {
    const made = args as JsonObject;
    this.#calls.set(call_id, { tool: name, args: made, acted: verdict !== undefined });
    if (attempt > 1) return;
    const key = `${name} ${canonicalJson(made)}`;
    this.#made.set(key, (this.#made.get(key) ?? 0) + 1);
    this.#madeOf.set(name, (this.#madeOf.get(name) ?? 0) + 1);
  }

  #read({ call_id, lowered, reads = [], reads_count = 0 }: Event<"tool.result">["payload"]): void {
    if (lowered) this.#lowered.add(call_id);
    if (reads.length === 0) return;
    this.#filesRead.set(
      call_id,
      reads.map(({ sha256 }) => sha256),
    );
    // Of a reading of more files than are listed nothing is known of the rest.
    if (reads_count <= reads.length && reads.every(({ path }) => this.#isTrustedFile(path)))
      this.#trustedReads.add(call_id);
  }

  #returned({ call_id, name, content }: Event<"tool.output">["payload"]): void {
    if (name === "ask") this.#answered(call_id, content);
    const call = this.#calls.get(call_id);
    const declaration = this.#declarationOf(name);
    const { fields, text } = readResult((content ?? null) as JsonValue, declaration);
    const isLowered = this.#lowered.has(call_id);
    // What a session did whose values were not judged is not known to be a reading: nothing chooses by it.
    const isKnown = this.#isJudged && !isLowered;
    this.sources.push({
      call_id: `${this.#prefix}${call_id}`,
      tool: name,
      // The answers of agents below are what models made of what they read, even where a person named their task.
      args: name === "delegate" || isLowered ? undefined : call?.args,
      saidBefore: this.messages.length,
      acted: !this.#isJudged || call?.acted === true,
      directory: declaration.directory === true && isKnown,
      trusted: this.#trustedReads.has(call_id),
      files: this.#filesRead.get(call_id) ?? [],
      fields: isKnown ? fields : [],
      text,
    });
  }
}

/** The paths that the order itself names, to read or to write. */
function scopeOf({ read, write, work_order_id }: MandateV1): (path: string) => boolean {
  const own = [...read, ...write].filter(({ document }) => document === `work order ${work_order_id}`);
  return matcherOf(own.flatMap(({ lists }) => lists.flatMap(({ patterns }) => patterns)));
}

/** Files that the framework vouches for, as long as the order may not write them. */
function trustedFiles({ trusted_files = [] }: ValueRights, { write }: MandateV1): (path: string) => boolean {
  const isTrusted = matcherOf(trusted_files);
  const writers = write.map(({ lists }) => matcherOf(lists.flatMap(({ patterns }) => patterns)));
  return (path) => isTrusted(path) && !(writers.length > 0 && writers.every((mayWrite) => mayWrite(path)));
}

function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  const globs = patterns.flatMap((pattern) => {
    const glob = compileGlob(pattern);
    return glob.ok ? [glob.value] : [];
  });
  return (path) => globs.some((glob) => glob.matches(path));
}

/** Every text in a value, that of keys not included. */
export function textsOf(values: readonly JsonValue[]): readonly string[] {
  return values.flatMap((value): readonly string[] => {
    if (value === null || typeof value === "boolean" || value === "") return [];
    if (Array.isArray(value)) return textsOf(value);
    if (typeof value === "object") return textsOf(Object.values(value as JsonObject));
    return [String(value)];
  });
}
