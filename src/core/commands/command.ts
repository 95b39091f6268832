import type { Result } from "../values/result.ts";
import type { Answer, Invocation } from "./act.ts";
import type { ExitStatus } from "./exit-status.ts";

/** One command: every answer that its help, the reference, the runner and its tests ask for. */
export interface Command<Needs extends string, Parts, Options extends object = NoOptions> extends HelpText {
  readonly name: string;
  readonly summary: string;
  /** What the runner opens before `run` and closes after it. */
  readonly needs: Needs;
  /** What `--json` prints: the id of a schema, or the document in a few words; null where it prints nothing. */
  readonly json: string | null;
  readonly arguments: readonly ArgumentSpec[];
  /** In the order of the help. */
  readonly options: OptionSpecs<Options>;
  /** What a status means here; null: what the reference says of it for every command. */
  readonly exits: Exits | null;
  /** Run where a group is called without the name of a member. */
  readonly isDefault?: true;
  readonly run: (parts: Parts, invocation: Invocation<Options>) => Promise<Result<Answer>>;
}

/** For a command that has none of its own. */
type NoOptions = Readonly<Record<string, never>>;

/** Commands under one word: `writ session`. */
export interface CommandGroup<Member> extends HelpText {
  readonly name: string;
  readonly summary: string;
  /** In the order of the help. */
  readonly members: readonly Member[];
}

/** What the help says behind the options: `about`, the examples, `after`. */
export interface HelpText {
  readonly about?: string;
  readonly examples: readonly [Example, ...Example[]];
  /** The line above the examples; "Example:" or "Examples:" without it. */
  readonly examplesTitle?: string;
  /** Begins with a line break where a blank line separates it from the examples. */
  readonly after?: string;
}

/** A line for a shell, or one for another place, such as the configuration of a client. */
export type Example = string | { readonly line: string };

export type Exits = Readonly<Partial<Record<ExitStatus, string>>>;

export interface ArgumentSpec {
  readonly name: string;
  readonly about: string;
  readonly takes: "one" | "one or none" | "any number";
  readonly fallback?: string;
}

export function argument(name: string, about: string): ArgumentSpec {
  return { name, about, takes: "one" };
}

export function optional(name: string, about: string, fallback?: string): ArgumentSpec {
  return { name, about, takes: "one or none", ...(fallback === undefined ? {} : { fallback }) };
}

export function anyNumber(name: string, about: string): ArgumentSpec {
  return { name, about, takes: "any number" };
}

/** An option per key of the command's options, of the kind that its type asks for: one without help text does not compile. */
export type OptionSpecs<Options extends object> = {
  readonly [Key in keyof Options]-?: OptionSpecFor<Exclude<Options[Key], undefined>, IsOptional<Options, Key>>;
};

type IsOptional<Options extends object, Key extends keyof Options> =
  Partial<Pick<Options, Key>> extends Pick<Options, Key> ? true : false;

type OptionSpecFor<Value, Optional extends boolean> = Value extends boolean
  ? Flag
  : Value extends string
    ? Optional extends true
      ? MaybeText
      : SureText
    : Optional extends true
      ? MaybeTexts
      : SureTexts;

interface Flag {
  readonly kind: "flag";
  readonly about: string;
}

export interface MaybeText {
  readonly kind: "text";
  /** The placeholder of the value in the help: `--out <file>`. */
  readonly value: string;
  readonly about: string;
  /** Its value where the option stands alone. */
  readonly alone?: string;
}

/** It has a value in every call: the caller must give one, or there is one to fall back on. */
export type SureText = MaybeText & ({ readonly isRequired: true } | { readonly fallback: string });

interface MaybeTexts {
  readonly kind: "texts";
  readonly value: string;
  readonly about: string;
  /** Several values after one option, or the option several times. */
  readonly given: "in a row" | "one by one";
}

export type SureTexts = MaybeTexts & { readonly isRequired: true };

export type OptionSpec = Flag | MaybeText | SureText | MaybeTexts | SureTexts;

export function flag(about: string): Flag {
  return { kind: "flag", about };
}

export function text(value: string, about: string): MaybeText;
export function text(value: string, about: string, fallback: string): SureText;
export function text(value: string, about: string, fallback?: string): MaybeText | SureText {
  return { kind: "text", value, about, ...(fallback === undefined ? {} : { fallback }) };
}

/** For an option that may stand alone, and means this then. */
export function textOr(value: string, about: string, alone: string): MaybeText {
  return { kind: "text", value, about, alone };
}

export function requiredText(value: string, about: string): SureText {
  return { kind: "text", value, about, isRequired: true };
}

export function texts(value: string, about: string): MaybeTexts {
  return { kind: "texts", value, about, given: "in a row" };
}

export function requiredTexts(value: string, about: string): SureTexts {
  return { kind: "texts", value, about, given: "in a row", isRequired: true };
}

/** For an option that may be given several times. */
export function repeatedText(value: string, about: string): MaybeTexts {
  return { kind: "texts", value, about, given: "one by one" };
}

/** A command as tables and engines see it: its options are its own matter. */
export interface CommandRow<Needs extends string, Parts> extends Omit<Command<Needs, Parts, never>, "options" | "run"> {
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly run: (parts: Parts, invocation: Invocation<never>) => Promise<Result<Answer>>;
}

/** A row for each need; it compiles only where what is opened for its need has the parts that it names. */
export type CommandRowOf<Opened, Need extends keyof Opened & string = keyof Opened & string> = {
  [Each in Need]: CommandRow<Each, Opened[Each]>;
}[Need];

/** A command, or a group with groups and commands in it. */
export type CommandNode<Opened> = CommandRowOf<Opened> | CommandNodes<Opened>;
export interface CommandNodes<Opened> extends CommandGroup<CommandNode<Opened>> {}

/** Opens what a command needs, calls `work` with it, and closes it again however the work ended. */
export type Opener<Parts> = (
  invocation: Invocation<object>,
  work: (parts: Parts) => Promise<Result<Answer>>,
) => Promise<Result<Answer>>;

/** The same for a command whose options decide what it opens: bound to its invocation, in `root` where it names another one. */
export type Opens<Parts> = (
  work: (parts: Parts) => Promise<Result<Answer>>,
  at?: { readonly root: string | undefined },
) => Promise<Result<Answer>>;

export type Openers<Opened> = { readonly [Need in keyof Opened]: Opener<Opened[Need]> };
