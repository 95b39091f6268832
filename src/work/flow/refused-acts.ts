import type { FlowResultV2 } from "#core/contracts";
import { isJsonObject, type JsonObject } from "#core/values";
import type { Event } from "#log";

/** An act that the agent asked for and its mandate does not grant. */
export type RefusedAct = NonNullable<FlowResultV2["refused_acts"]>[number];

/** What the mandate or the rules over values refuse, and a sandboxed program that wrote beyond it. Other refusals are mistakes, not attempts. */
const breaches: ReadonlySet<string> = new Set([
  "TOOL_NOT_ALLOWED",
  "CAPABILITY_VIOLATION",
  "UNDECLARED_WRITE",
  "POLICY_DENIED",
]);

/** What the tool `delegate` is answered where an order below would go beyond the order that asks for it. */
const tooWide: ReadonlySet<string> = new Set(["NOT_AUTHORIZED", "GATE_DENIED"]);

const mostActs = 100;
/** What is shown of the reading that came before: an instruction from outside stands most likely in the newest. */
const mostRead = 3;

/** Gathers from a session's events what was tried outside its order, and what the agent had read just before. */
export class RefusedActs {
  readonly #acts: RefusedAct[] = [];
  readonly #calls = new Map<string, string>();
  readonly #read: string[] = [];
  #count = 0;

  see(event: Event): void {
    switch (event.type) {
      case "attention.assembled":
        for (const { origin } of event.payload.fragments) this.#hasRead(origin);
        break;
      case "tool.invoke":
        this.#calls.set(event.payload.call_id, callText(event.payload.name, event.payload.args));
        break;
      case "tool.output":
        if (event.payload.trust === "untrusted" && !event.payload.is_error)
          this.#hasRead(this.#calls.get(event.payload.call_id) ?? event.payload.name);
        break;
      case "tool.result": {
        const { call_id, name, error } = event.payload;
        if (error && (breaches.has(error.code) || (name === "delegate" && tooWide.has(error.code))))
          this.#refused({ call_id, tool: name, code: error.code, reason: error.message });
        break;
      }
      case "tool.refused": {
        const { call_id, name, code, reason, clauses } = event.payload;
        if (breaches.has(code))
          this.#refused({ call_id, tool: name, code, reason, ...(clauses === undefined ? {} : { clauses }) });
        break;
      }
      case "delegation.ended":
        for (const act of event.payload.refused_acts ?? []) this.#add(act);
        break;
      default:
    }
  }

  get count(): number {
    return this.#count;
  }

  /** The first hundred. */
  get list(): RefusedAct[] {
    return [...this.#acts];
  }

  #refused(act: RefusedAct): void {
    this.#add({ ...act, after_reading: [...this.#read] });
  }

  #add(act: RefusedAct): void {
    this.#count += 1;
    if (this.#acts.length < mostActs) this.#acts.push(act);
  }

  #hasRead(what: string): void {
    this.#read.push(what);
    if (this.#read.length > mostRead) this.#read.shift();
  }
}

function callText(name: string, args: unknown): string {
  const path = isJsonObject(args) ? (args as JsonObject)["path"] : undefined;
  return typeof path === "string" ? `${name} ${path}` : name;
}
