import type { EventPayloads } from "#core/contracts";

type EventType = keyof EventPayloads;

/**
 * Everything that one type of event must state, in one object. Nothing is optional: "nothing" is written down too. A
 * kind imports only types, because the studio loads it in the browser; what it needs is passed in.
 */
export interface EventKind<T extends EventType> {
  /**
   * How a resumed session finds what it recorded: by the type and what makes it the same fact (no id, no time, no
   * duration), by the type alone, or not at all, because no execution says it again. `by cause`: an effect, found by
   * the request, the call or the firing that caused it.
   */
  readonly replay: "by type" | "by cause" | "never repeated" | ((payload: EventPayloads[T], digest: Digest) => string);
  /** The lines that it adds to the story of a request, while it runs. */
  readonly story: "silent" | ((payload: EventPayloads[T], so: Story) => readonly Line[]);
  readonly row: EventRow<T>;
  /** A denial or a failure: what a reader looks for first in a long session. */
  readonly isProblem: boolean | ((payload: EventPayloads[T]) => boolean);
}

/** The hash of a value's canonical JSON. */
export type Digest = (value: unknown) => string;

/** Where a type appears in the views of a session. */
export interface EventRow<T extends EventType> {
  /** The lane that timelines filter by. */
  readonly lane: Lane;
  /** The nesting: 0 the flow, 1 a role, 2 what a role does. */
  readonly depth: Depth | ((payload: EventPayloads[T]) => Depth);
  /** As a row of its own: the studio shows every event. */
  readonly text: (payload: EventPayloads[T], words: RowWords) => RowText;
  /** Among others: a terminal shows a request and its response, or a call and its result, as one entry. */
  readonly entry: "left out" | ((payload: EventPayloads[T], words: EntryWords) => TimelineEntry);
}

/** The kinds of some types; of all of them where none is named. A type without its kind does not compile. */
export type EventKinds<T extends EventType = EventType> = { readonly [K in T]: EventKind<K> };

/** A type and its payload, for a function that looks up the type's kind and passes it the payload. */
export type TypedPayload<T extends EventType = EventType> = {
  [K in T]: { readonly type: K; readonly payload: EventPayloads[K] };
}[T];

export type Lane = "model" | "tools" | "gates" | "writes" | "flow" | "budget";
export type Depth = 0 | 1 | 2;

/** How the reader of rows writes numbers, values and codes. */
export interface RowWords {
  count(value: number): string;
  /** A text as it is, any other value as JSON. */
  plain(value: unknown): string;
  /** The text of an answer: roles answer in JSON. */
  said(text: string): string;
  /** Whether an error's code is that of a rule, not of a fault. */
  isRule(code: string | undefined): boolean;
}

export interface RowText {
  readonly subject: string;
  readonly text: string;
  readonly decision?: string;
  readonly state?: "done" | "waiting" | "denied" | "failed" | "idle";
  readonly tokens?: number;
  readonly durationMs?: number;
  /** Bookkeeping that most readers skip. */
  readonly quiet?: boolean;
}

/** How a terminal writes calls and results. */
export interface EntryWords {
  call(name: string, args: unknown): string;
  result(content: unknown): string;
}

export type EntrySign = "session" | "role" | "model" | "tool" | "gate" | "work" | "workflow" | "note";

export interface GateMark {
  readonly decision: string;
  readonly by: string;
  readonly reason: string;
}

interface Marks {
  /** A second line below: the result. */
  readonly outcome?: string;
  readonly isBad?: boolean;
  readonly durationMs?: number;
}

export type TimelineEntry =
  /** A row of its own, under its cause or the role at work; at the margin where it is about the whole session. */
  | ({
      readonly as: "row";
      readonly sign: EntrySign;
      readonly text: string;
      readonly isAtMargin?: boolean;
      readonly gate?: GateMark;
    } & Marks)
  /** A role begins, named by the actor of its event, or the roles end. */
  | ({ readonly as: "role"; readonly end: string | null } & Marks)
  /** The result of a role's answer: shown as the outcome of the newest answer, in place of its raw text. */
  | { readonly as: "conclusion"; readonly outcome: string; readonly isBad: boolean }
  /** The first event of several that share a row. `permitFor`: a decision about this name is shown beside it. */
  | {
      readonly as: "opening";
      readonly id: string;
      readonly sign: EntrySign;
      readonly text: string;
      readonly permitFor?: string;
    }
  /** A later event of the row. `alone`: its text where the first is missing, if it is shown at all. */
  | ({
      readonly as: "sequel";
      readonly id: string;
      readonly sign: EntrySign;
      readonly alone: string | null;
      readonly tokens?: number;
      readonly usd?: number;
      /** The outcome where no earlier event has given one. */
      readonly otherwise?: string;
    } & Marks)
  /** A decision that is shown beside the call that it allows. */
  | { readonly as: "permit"; readonly name: string; readonly gate: GateMark }
  | { readonly as: "nothing" };

/** One line of a story: who, what, and at the right what it cost or which gate allowed it. */
export interface Line {
  readonly who: string;
  readonly what: string;
  readonly right: string;
}

/** The state of a story between two events. */
export interface Story {
  /**
   * The calls in the latest answer, by name: a gate decides before the call is recorded. Empty where the answer could
   * be another role's.
   */
  readonly wanted: Map<string, unknown>;
  /** The latest gate decision, shown beside the call that it allowed. */
  gate: EventPayloads["hook.fired"] | undefined;
  speaker: string;
  /** Whether lead, planner, worker and reviewer take part. */
  hasRoles: boolean;
  /** Whether it is a cycle, in which several roles may answer at once. */
  isCycle: boolean;
  readonly pen: Pen;
  /** Adds tokens and time to what a role has used since its last line. */
  use(role: string, tokens: number, ms: number): void;
  /** What a role has used since its last line, for the right edge of this one. */
  bill(role: string): string;
}

/** How a terminal writes: colours, signs, and foreign text without control sequences. */
export interface Pen extends EntryWords {
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
  readonly arrow: string;
  /** Text from models and tools on one line. */
  line(text: string): string;
  /** A name that a model or a server chose, with nothing left out of it. */
  name(text: string): string;
}
