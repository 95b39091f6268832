import type { JsonObject } from "#core/values";
import type { Event, EventType } from "#log";
import type { ValueApprovals } from "./approvals.ts";
import { daysIn } from "./days.ts";
import type { ToolDeclaration, ValueRights } from "./declarations.ts";
import { Picks } from "./picks.ts";
import { Related } from "./related.ts";
import type { ResultSource } from "./result-source.ts";
import type { ValueLaw } from "./rules.ts";
import { type OwnSource, type PersonText, SessionValues, textsOf } from "./session-values.ts";
import { allAmong, folded, standsIn, type Words, wordsIn, wordsOf } from "./words.ts";

/** Text of results that values are looked up in. What falls out counts as absent, which only makes stricter; fields stay. */
const mostText = 16 * 1024 * 1024;
/** Characters of declared fields: beyond them nothing is allowed without a question, since what is picked is not known. */
const mostFields = 16 * 1024 * 1024;

/** Events that change what values can come from. */
const telling: ReadonlySet<EventType> = new Set([
  "session.start",
  "wo.started",
  "thread.message",
  "tool.output",
  "turn.committed",
  "delegation.ended",
  "approval.decided",
]);

/**
 * Everything that a value of a call can come from, folded from the events of a session and of those that it rests on, and from
 * nothing else: the same events give the same labels in every process.
 */
export class ValueIndex {
  readonly #own = new SessionValues();
  readonly #related = new Related(this.#own);
  #law: ValueLaw | undefined;
  #ownNames = new Map<string, string>();
  readonly #refused = new Map<string, Event<"tool.refused">["payload"]>();
  readonly #naming = new Naming();
  #known: Known | undefined;
  #picks: Picks | undefined;
  #listed: Set<string> | undefined;

  /** The rights that the session began with; undefined where its values are not judged. */
  get rights(): ValueRights | undefined {
    return this.#own.rights;
  }

  /** The rights with the rules that they name. */
  get law(): ValueLaw | undefined {
    return this.rights && this.#law;
  }

  see(event: Event): void {
    this.#own.see(event);
    this.#related.see(event);
    if (event.type === "wo.started") this.#law ??= event.payload.mandate?.values;
    if (event.type === "wo.started")
      this.#ownNames = new Map((this.rights?.own ?? []).map((each, index) => [folded(each), `own#${index}`]));
    if (event.type === "tool.refused" && event.payload.verdict !== undefined)
      this.#refused.set(event.payload.call_id, event.payload);
    if (telling.has(event.type)) this.#forget();
  }

  /** The session whose events are needed before anything can be judged; undefined when none is. */
  get wants(): string | undefined {
    return this.rights === undefined ? undefined : this.#related.wants;
  }

  /** Hands in the events of the session that was wanted; undefined where there is none to be read. */
  give(session_id: string, events: readonly Event[] | undefined): void {
    if (this.rights) this.#related.give(session_id, events, this.rights);
    this.#forget();
  }

  /** Why what it holds is not enough to allow anything: a session that it rests on cannot be read, or there is too much. */
  get lack(): string | undefined {
    const { missing } = this.#related;
    if (missing.length > 0) return `the record of ${missing.join(", ")}, on which it rests, cannot be read`;
    return this.#all.isOverLimit ? "the session has read more than can be looked at" : undefined;
  }

  declarationOf(tool: string): ToolDeclaration {
    return this.#own.declarationOf(tool);
  }

  /** The words of all persons who spoke in the session, as one. */
  get person(): Words {
    return this.#all.person;
  }

  get personTexts(): readonly PersonText[] {
    return this.#all.texts;
  }

  /** What the order itself names, besides the words of its request; of an order that was handed down, the order above. */
  get order(): Words {
    return this.#all.order;
  }

  get sources(): readonly ResultSource[] {
    return this.#all.sources;
  }

  /** What was read. What an act returns repeats what the model put into it: it chooses nothing. */
  get #read(): readonly ResultSource[] {
    return this.sources.filter(({ acted }) => !acted);
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
    return this.#ownNames.get(value);
  }

  /** What was recorded of a call that was refused: a session that goes on has read more since, and stays at that. */
  refusal(call_id: string): Event<"tool.refused">["payload"] | undefined {
    return this.#refused.get(call_id);
  }

  isInScope(path: string): boolean {
    return this.#own.scope(path);
  }

  /** What people allowed in the session. */
  get approvals(): ValueApprovals {
    return this.#own.approvals;
  }

  /** The approval by which a value is allowed for this order and those below it. */
  approvalOf(kind: string | undefined, text: string): string | undefined {
    const orders = [this.#own, ...this.#related.ordersAbove];
    return orders.map(({ approvals }) => approvals.ofValue(kind, text)).find((found) => found !== undefined);
  }

  /** How often exactly this call was made before, in the order and in those above it. */
  timesMade(tool: string, args: JsonObject): number {
    return this.#related.ordersAbove.reduce((sum, each) => sum + each.timesMade(tool, args), 0);
  }

  timesCalled(tool: string): number {
    return this.#own.timesCalled(tool);
  }

  #forget(): void {
    this.#known = undefined;
    this.#picks = undefined;
    this.#listed = undefined;
  }

  get #all(): Known {
    this.#known ??= gather(this.#related, this.#naming);
    return this.#known;
  }
}

/** What is known of a session and of all on which it rests. */
interface Known {
  readonly texts: readonly PersonText[];
  readonly person: Words;
  readonly order: Words;
  readonly sources: readonly ResultSource[];
  readonly isOverLimit: boolean;
}

function gather(related: Related, naming: Naming): Known {
  const written = new Set(related.all.flatMap(({ values }) => [...values.written]));
  const texts: PersonText[] = [];
  const sources: ResultSource[] = [];
  for (const { values, speaks } of related.all) {
    const before = [...texts, ...(speaks && values.prompt ? [values.prompt] : [])];
    const messages = speaks ? values.messages : [];
    for (const source of values.sources) {
      const said = [...before, ...messages.slice(0, source.saidBefore)];
      // A file that an agent wrote holds what the agent had read, even where the person names it.
      const isWritten = source.files.some((hash) => written.has(hash));
      const trusted = source.trusted && !isWritten;
      sources.push({ ...source, trusted, named: !isWritten && naming.isNamed(source, said) });
    }
    texts.push(...before.slice(texts.length), ...messages);
  }
  const { kept, isOverLimit } = withinLimits(sources);
  return {
    texts,
    person: joined(texts),
    order: wordsIn(related.ordersAbove.map(({ order }) => order.text).join("\n")),
    sources: kept,
    isOverLimit,
  };
}

/** Newest text first; the text of what is older is not looked at any more. */
function withinLimits(sources: readonly ResultSource[]): {
  readonly kept: readonly ResultSource[];
  readonly isOverLimit: boolean;
} {
  let text = 0;
  let fields = 0;
  const kept = sources
    .toReversed()
    .map((source, index) => {
      text += source.text.length;
      for (const { value } of source.fields) fields += value.length;
      return index > 0 && text > mostText ? { ...source, text: "" } : source;
    })
    .toReversed();
  return { kept, isOverLimit: fields > mostFields };
}

function joined(texts: readonly PersonText[]): Words {
  return {
    text: texts.map(({ text }) => text).join("\n"),
    words: new Set(texts.flatMap(({ words }) => [...words])),
  };
}

/** Whether the person's words select what a call reads: each of its arguments stands in them, and it has one. */
class Naming {
  /** Texts are only ever added, so what was found holds for as many of them. */
  readonly #found = new WeakMap<OwnSource, { readonly texts: number; readonly isNamed: boolean }>();

  isNamed(source: OwnSource, said: readonly PersonText[]): boolean {
    const before = this.#found.get(source);
    if (before?.texts === said.length) return before.isNamed;
    const isNamed = source.args !== undefined && isSelected(textsOf([source.args]), said);
    this.#found.set(source, { texts: said.length, isNamed });
    return isNamed;
  }
}

function isSelected(args: readonly string[], said: readonly PersonText[]): boolean {
  const { text, words } = joined(said);
  const days = new Set(said.flatMap((each) => [...each.days]));
  const isSaid = (value: string): boolean => {
    const own = folded(value);
    if (standsIn(text, own)) return true;
    const named = [...daysIn(own)];
    return named.length > 0 ? named.every((day) => days.has(day)) : allAmong(own, (word) => words.has(word));
  };
  return args.length > 0 && args.every(isSaid);
}
