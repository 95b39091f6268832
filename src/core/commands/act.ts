import type { Command } from "commander";
import type { DomainError } from "../errors/domain-error.ts";
import { type Screen, screenOf } from "../terminal/screen.ts";
import type { Result } from "../values/result.ts";
import type { CliContext, Output } from "./context.ts";
import type { ExitStatus } from "./exit-status.ts";
import { isStreamed, writeJson } from "./write-json.ts";

/** The options that every command has. */
export interface GlobalOptions {
  readonly root: string | undefined;
  readonly store: string | undefined;
  readonly json: boolean;
  readonly debug: boolean;
}

/**
 * The output of a command: `json` for programs, `text` for people; absent where the command has already printed. A member of
 * `json` that is an async iterable is printed as an array, an item at a time.
 */
export interface Answer {
  readonly json?: unknown;
  /** In pieces where it may be longer than memory: each is written once the reader has taken the last. */
  readonly text?: (screen: Screen) => string | AsyncIterable<string>;
  /** For people as well, instead of `text`: a document, printed byte for byte. */
  readonly document?: string;
  /** 0 unless it says otherwise. */
  readonly exit?: ExitStatus;
}

/** A call of a command. `main` knows how it is run; a command need not. */
export interface Invocation<Options> extends GlobalOptions {
  readonly context: CliContext;
  readonly screen: Screen;
  readonly options: Options;
  /** In their order; of one that takes any number each word by itself. */
  readonly arguments: readonly (string | undefined)[];
}

/** Thrown through commander to `main`, which alone prints failures and sets the status. */
export class CommandFailed extends Error {
  readonly error: DomainError;
  constructor(error: DomainError) {
    super(error.message);
    this.error = error;
  }
}

/** Thrown through commander to `main` when a command ends with another status than 0. */
export class CommandEnded extends Error {
  readonly status: ExitStatus;
  constructor(status: ExitStatus) {
    super(`ended with ${status}`);
    this.status = status;
  }
}

export function writeDocument(output: Output, text: string): void {
  if (output.writeDocument) output.writeDocument(text);
  else output.write(text);
}

/** Pieces of a text are gathered to about this length. */
const pieceLength = 64 * 1024;

/** A commander action from a function that works and answers. `--json` prints the answer's document and nothing else. */
export function act<Options extends object = Record<string, unknown>>(
  context: CliContext,
  work: (invocation: Invocation<Options>) => Promise<Result<Answer>>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const globals = command.optsWithGlobals<Partial<GlobalOptions>>();
    const screen = screenOf(context.stdout, context.env);
    const answer = await work({
      context,
      screen,
      options: command.optsWithGlobals<Options>(),
      root: globals.root,
      store: globals.store,
      json: globals.json ?? false,
      debug: globals.debug ?? false,
      arguments: (command.processedArgs as readonly (string | readonly string[] | undefined)[]).flat(),
    });
    if (!answer.ok) throw new CommandFailed(answer.error);
    const { json, text, document, exit = 0 } = answer.value;
    if (globals.json && json !== undefined) await writeJson(json, context.stdout);
    else if (!globals.json && document !== undefined) writeDocument(context.stdout, document);
    else if (!globals.json && text) await writeText(text(screen), context.stdout);
    if (exit !== 0) throw new CommandEnded(exit);
  };
}

/**
 * Prints an answer that is read as it is printed: to be called while what it is read from is open. Other answers come back as
 * they are, to be printed once everything is closed.
 */
export async function printWhileOpen(
  answer: Answer,
  { json: isJson, context, screen }: Pick<Invocation<never>, "json" | "context" | "screen">,
): Promise<Answer> {
  const { json, text, ...rest } = answer;
  if (isJson && isStreamed(json)) await writeJson(json, context.stdout);
  else if (!isJson && text && answer.document === undefined) {
    const pieces = text(screen);
    if (typeof pieces === "string") return { ...answer, text: () => pieces };
    await writeText(pieces, context.stdout);
  } else return answer;
  return rest;
}

async function writeText(text: string | AsyncIterable<string>, output: Output): Promise<void> {
  if (typeof text === "string") return output.write(text);
  let waiting = "";
  for await (const piece of text) {
    waiting += piece;
    if (waiting.length < pieceLength) continue;
    output.write(waiting);
    waiting = "";
    await output.drained?.();
    if (output.closed?.aborted) return; // its reader has gone: `| head`
  }
  output.write(waiting);
}
