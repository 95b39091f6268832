import { isJsonObject } from "#core/values";
import type { ToolCall } from "../models/tool-call.ts";

/** A call that was refused or failed, without a later success on the same target. */
export interface UndoneCall {
  readonly call_id: string;
  readonly tool: string;
  /** The path, program or subject that it was about, where its arguments say so. */
  readonly target?: string;
  readonly state: "refused" | "failed";
  readonly code: string;
  readonly reason: string;
}

/** How a call ended: done, or not and why. */
export type CallEnding =
  | { readonly state: "done" }
  /** It waits for a person: what becomes of it is not known yet. */
  | { readonly state: "held" }
  | { readonly state: "refused" | "failed"; readonly code: string; readonly message: string };

const mostReason = 1000;
/** The arguments were no JSON, or not what the tool takes. */
const unreadable: ReadonlySet<string> = new Set(["MALFORMED_INPUT", "SCHEMA_VIOLATION"]);

/**
 * Keeps what a conversation asked for and did not get. A later success of the same tool on the same target settles it, and so
 * does another tool that changes the same target: an edit that missed and a write that replaced the file are one act. A read
 * that found nothing, or whose arguments could not be read, leaves no work undone; one that was refused does.
 */
export class UndoneCalls {
  readonly #isReadOnly: (tool: string) => boolean;
  #open: readonly UndoneCall[] = [];

  constructor(isReadOnly: (tool: string) => boolean) {
    this.#isReadOnly = isReadOnly;
  }

  see({ id, name, args }: ToolCall, ending: CallEnding): void {
    const target = targetOf(args);
    if (ending.state === "done") {
      this.#open = this.#open.filter((open) => !this.#settles(name, target, open));
      return;
    }
    if (ending.state === "held") return;
    // Of a read whose arguments make no sense nothing was done or left out: the model asks again, or goes without.
    if (this.#isReadOnly(name) && (ending.state === "failed" || unreadable.has(ending.code))) return;
    const { state, code, message } = ending;
    const about = target === undefined ? {} : { target };
    this.#open = [
      ...this.#open.filter((open) => open.tool !== name || open.target !== target),
      { call_id: id, tool: name, ...about, state, code, reason: message.slice(0, mostReason).toWellFormed() },
    ];
  }

  /** In the order in which they happened; of equal ones the last. */
  get list(): readonly UndoneCall[] {
    return this.#open;
  }

  #settles(tool: string, target: string | undefined, open: UndoneCall): boolean {
    if (open.tool === tool) return open.target === undefined || target === undefined || open.target === target;
    if (target === undefined || open.target !== target) return false;
    return !this.#isReadOnly(tool) && !this.#isReadOnly(open.tool);
  }
}

/** What a call is about: a path, a command line, a skill. Undefined where the arguments do not tell. */
export function targetOf(args: unknown): string | undefined {
  if (!isJsonObject(args)) return undefined;
  const { path, command, skill } = args;
  if (typeof path === "string" && path !== "") return path.replace(/^(?:\.\/)+/, "").slice(0, 1000);
  if (Array.isArray(command) && command.every((word) => typeof word === "string"))
    return command.join(" ").slice(0, 1000);
  return typeof skill === "string" && skill !== "" ? skill : undefined;
}
