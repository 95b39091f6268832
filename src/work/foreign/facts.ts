import type { AnswerFacts, AskedCall, ReportedUsage } from "./dialect.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Gathers what an answer says. */
export class GatheredFacts implements Mutable<AnswerFacts> {
  text = "";
  reasoning = "";
  calls: AskedCall[] = [];
  usage: ReportedUsage | undefined;
  model: string | undefined;
  finish: AnswerFacts["finish"];
  problem: string | undefined;
  outputBytes = 0;

  say(text: string): void {
    this.text += text;
    this.#count(text);
  }

  think(text: string): void {
    this.reasoning += text;
    this.#count(text);
  }

  /** Output that is no text: the arguments of calls. */
  count(text: string): void {
    this.#count(text);
  }

  /** Reports grow while an answer comes; one that leaves a part out does not take it back. */
  report(usage: ReportedUsage): void {
    const largest = (name: keyof ReportedUsage) => {
      const value = Math.max(usage[name] ?? -1, this.usage?.[name] ?? -1);
      return value < 0 ? {} : { [name]: value };
    };
    const known: ReportedUsage = {
      ...largest("input_tokens"),
      ...largest("output_tokens"),
      ...largest("cached_input_tokens"),
      ...largest("cache_write_tokens"),
      ...largest("reasoning_tokens"),
    };
    if (Object.keys(known).length > 0) this.usage = known;
  }

  #count(text: string): void {
    this.outputBytes += Buffer.byteLength(text);
  }
}

export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
