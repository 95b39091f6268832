import type { MandateV1 } from "#core/contracts";
import { canonicalJson, type JsonObject, type JsonValue } from "#core/values";
import type { Event } from "#log";
import { compileGlob } from "../paths/glob.ts";
import { daysIn } from "./days.ts";
import { declarationsOf, type ToolDeclaration, type ValueRights } from "./declarations.ts";
import { Picks } from "./picks.ts";
import { type ResultSource, readResult } from "./result-source.ts";
import { allAmong, folded, standsIn, type Words, wordsIn, wordsOf } from "./words.ts";

/** Text of results that values are looked up in; what falls out counts as absent, so it only makes stricter. */
const mostText = 16 * 1024 * 1024;

/** A text that a person wrote, with the place where it is recorded. */
interface PersonText extends Words {
  readonly ref: string;
  readonly days: ReadonlySet<string>;
}

/**
 * Everything that a value of a call can come from, folded from the events of a session and from nothing else: the same events
 * give the same labels in every process.
 */
export class ValueIndex {
  #rights: ValueRights | undefined;
  #declarationOf: (tool: string) => ToolDeclaration = () => ({});
  #scope: (path: string) => boolean = () => false;
  #isChild = false;
  readonly #person: PersonText[] = [];
  #order: Words = wordsIn("");
  #sources: ResultSource[] = [];
  #textSize = 0;
  readonly #calls = new Map<string, { readonly tool: string; readonly args: JsonObject; readonly acted: boolean }>();
  readonly #refused = new Map<string, Event<"tool.refused">["payload"]>();
  readonly #made = new Map<string, number>();
  readonly #madeOf = new Map<string, number>();
  #own = new Map<string, string>();
  #personWords: Words | undefined;
  #picks: Picks | undefined;
  #listed: Set<string> | undefined;

  /** The rights that the session began with; undefined where its values are not judged. */
  get rights(): ValueRights | undefined {
    return this.#rights;
  }

  see(event: Event): void {
    if (event.type === "session.start") this.#isChild = event.payload.parent_kind === "child";
    else if (event.type === "wo.started") this.#begin(event.payload.mandate, event.payload.work_order);
    if (!this.#rights) return;
    switch (event.type) {
      case "thread.message":
        if (!this.#isChild) this.#say(event.payload.text, event.payload.message_id);
        break;
      case "tool.invoke":
        this.#called(event.payload);
        break;
      case "tool.refused":
        if (event.payload.verdict !== undefined) this.#refused.set(event.payload.call_id, event.payload);
        break;
      case "tool.output":
        if (event.payload.shown && !event.payload.is_error) this.#returned(event.payload);
        break;
      default:
    }
  }

  declarationOf(tool: string): ToolDeclaration {
    return this.#declarationOf(tool);
  }

  /** The words of all persons who spoke in the session, as one. */
  get person(): Words {
    this.#personWords ??= {
      text: this.#person.map(({ text }) => text).join("\n"),
      words: new Set(this.#person.flatMap(({ words }) => [...words])),
    };
    return this.#personWords;
  }

  get personTexts(): readonly PersonText[] {
    return this.#person;
  }

  /** What the order itself names, besides the words of its request. */
  get order(): Words {
    return this.#order;
  }

  get sources(): readonly ResultSource[] {
    return this.#sources;
  }

  /** What was read. What an act returns repeats what the model put into it: it chooses nothing. */
  get #read(): readonly ResultSource[] {
    return this.#sources.filter(({ acted }) => !acted);
  }

  get picks(): Picks {
    this.#picks ??= new Picks(this.#read, this.person);
    return this.#picks;
  }

  /** The words of names in lists that the person's words selected. */
  get listedWords(): ReadonlySet<string> {
    this.#listed ??= new Set(
      this.#read.flatMap(({ named, fields }) =>
        fields
          .filter((field) => field.from !== "fact" && (named || this.picks.has(field, field.value)))
          .flatMap(({ value }) => wordsOf(value)),
      ),
    );
    return this.#listed;
  }

  isOwn(value: string): string | undefined {
    return this.#own.get(value);
  }

  /** What was recorded of a call that was refused: a session that goes on has read more since, and stays at that. */
  refusal(call_id: string): Event<"tool.refused">["payload"] | undefined {
    return this.#refused.get(call_id);
  }

  isInScope(path: string): boolean {
    return this.#scope(path);
  }

  /** How often exactly this call was made before. */
  timesMade(tool: string, args: JsonObject): number {
    return this.#made.get(`${tool} ${canonicalJson(args)}`) ?? 0;
  }

  timesCalled(tool: string): number {
    return this.#madeOf.get(tool) ?? 0;
  }

  #begin(mandate: MandateV1 | undefined, order: object): void {
    const rights = mandate?.values?.rights;
    if (!mandate || !rights || rights.pack === "off") return;
    this.#rights = rights;
    this.#declarationOf = declarationsOf(rights);
    this.#own = new Map((rights.own ?? []).map((each, index) => [folded(each), `own#${index}`]));
    this.#scope = scopeOf(mandate);
    const { input, tool_permissions, ...rest } = order as {
      input?: JsonObject;
      tool_permissions?: JsonValue;
    } & JsonObject;
    const { prompt, ...parameters } = input ?? {};
    if (typeof prompt === "string" && !this.#isChild) this.#say(prompt, "order#/input/prompt");
    // An order below was written by the model that handed it down: its texts are not a person's words.
    const own = [parameters, tool_permissions ?? null, rest["title"] ?? null, rest["description"] ?? null];
    this.#order = wordsIn(this.#isChild ? "" : textsOf(own).join("\n"));
  }

  #say(text: string, ref: string): void {
    const words = wordsIn(text);
    this.#person.push({ ...words, ref, days: daysIn(words.text) });
    this.#forget();
    this.#personWords = undefined;
  }

  #called({ call_id, name, args, verdict }: Event<"tool.invoke">["payload"]): void {
    const made = args as JsonObject;
    const key = `${name} ${canonicalJson(made)}`;
    this.#calls.set(call_id, { tool: name, args: made, acted: verdict !== undefined });
    this.#made.set(key, (this.#made.get(key) ?? 0) + 1);
    this.#madeOf.set(name, (this.#madeOf.get(name) ?? 0) + 1);
  }

  #returned({ call_id, name, content }: Event<"tool.output">["payload"]): void {
    const call = this.#calls.get(call_id);
    const declaration = this.#declarationOf(name);
    const read = readResult((content ?? null) as JsonValue, declaration);
    this.#sources.push({
      call_id,
      tool: name,
      named: call !== undefined && this.#isNamed(call.args),
      acted: call?.acted === true,
      directory: declaration.directory === true,
      ...read,
    });
    this.#textSize += read.text.length;
    while (this.#textSize > mostText && this.#sources.length > 1)
      this.#textSize -= this.#sources.shift()?.text.length ?? 0;
    this.#forget();
  }

  /** Whether the person's words select what a call reads: each of its arguments stands in them, and it has one. */
  #isNamed(args: JsonObject): boolean {
    const texts = textsOf([args]);
    const { text, words } = this.person;
    const days = this.#person.flatMap((each) => [...each.days]);
    const isSaid = (value: string): boolean => {
      const own = folded(value);
      if (standsIn(text, own)) return true;
      const named = [...daysIn(own)];
      return named.length > 0 ? named.every((day) => days.includes(day)) : allAmong(own, (word) => words.has(word));
    };
    return texts.length > 0 && texts.every(isSaid);
  }

  #forget(): void {
    this.#picks = undefined;
    this.#listed = undefined;
  }
}

/** The paths that the order itself names, to read or to write. */
function scopeOf({ read, write, work_order_id }: MandateV1): (path: string) => boolean {
  const own = [...read, ...write].filter(({ document }) => document === `work order ${work_order_id}`);
  const globs = own
    .flatMap(({ lists }) => lists.flatMap(({ patterns }) => patterns))
    .flatMap((pattern) => {
      const glob = compileGlob(pattern);
      return glob.ok ? [glob.value] : [];
    });
  return (path) => globs.some((glob) => glob.matches(path));
}

/** Every text in a value, that of keys not included. */
function textsOf(values: readonly JsonValue[]): readonly string[] {
  return values.flatMap((value): readonly string[] => {
    if (value === null || typeof value === "boolean" || value === "") return [];
    if (Array.isArray(value)) return textsOf(value);
    if (typeof value === "object") return textsOf(Object.values(value as JsonObject));
    return [String(value)];
  });
}
