import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { AnswerFacts, AnswerTerms, ReportedUsage } from "./dialect.ts";
import type { ForeignCall } from "./foreign-session.ts";
import type { RawAnswer, RawTaken, RawTerms } from "./raw-types.ts";
import { passedHeaders } from "./refusals.ts";
import { EventSplitter, type ServerEvent } from "./server-events.ts";

/** An event that is larger than any vendor's; a server that sends one without end would fill the memory. */
const mostPending = 16 * 1024 * 1024;

/** An answer that has come, with the bytes that are still to be passed on. */
export interface TakenAnswer {
  readonly taken: RawTaken;
  readonly rest: readonly Uint8Array[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads an answer. Of a stream everything but the end is passed on as it comes; an answer in one piece waits until it is recorded. */
export async function takeAnswer(
  call: Pick<ForeignCall, "dialect" | "sink">,
  answer: RawAnswer,
  terms: AnswerTerms & RawTerms,
): Promise<Result<TakenAnswer>> {
  const headers = passedHeaders(answer.headers);
  const isStream = (answer.headers["content-type"] ?? "").includes("event-stream");
  const taken = isStream ? await takeStream(call, answer, terms) : await takeWhole(call, answer, terms);
  return taken.ok ? ok({ ...taken.value, headers }) : taken;
}

async function takeStream(
  { dialect, sink }: Pick<ForeignCall, "dialect" | "sink">,
  answer: RawAnswer,
  terms: AnswerTerms & RawTerms,
): Promise<Result<Omit<TakenAnswer, "headers">>> {
  const stream = dialect.readStream(terms);
  const splitter = new EventSplitter();
  const { facts } = stream;
  const fail = (error: DomainError) => err(withUsage(error, facts, terms));
  sink.begin(answer.status, passedHeaders(answer.headers));
  const take = async (events: readonly ServerEvent[]): Promise<Result<void>> => {
    for (const event of events) {
      const passed = await stream.push(event);
      if (!passed.ok) return passed;
      for (const bytes of passed.value) await sink.write(bytes);
      if (facts.problem !== undefined) return err(serverProblem(facts.problem));
      const over = overrun(facts, terms);
      if (over) return err(over);
    }
    return ok(undefined);
  };
  for (;;) {
    const read = await answer.read();
    if (!read.ok) return fail(read.error);
    const done = read.value === undefined;
    const events = read.value === undefined ? splitter.end() : splitter.push(read.value);
    const passed = await take(events);
    if (!passed.ok) return fail(passed.error);
    if (splitter.pending > mostPending)
      return fail(domainError("PROVIDER_ERROR", "the answer has an event without an end", { retryable: false }));
    if (done) break;
  }
  if (!stream.isWhole) return fail(domainError("PROVIDER_ERROR", "the answer broke off before its end"));
  const cut = cutShort(facts, terms);
  return cut ? fail(cut) : ok({ taken: takenOf(facts, terms), rest: stream.tail });
}

async function takeWhole(
  { dialect }: Pick<ForeignCall, "dialect">,
  answer: RawAnswer,
  terms: AnswerTerms & RawTerms,
): Promise<Result<Omit<TakenAnswer, "headers">>> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const read = await answer.read();
    if (!read.ok) return read;
    if (read.value === undefined) break;
    chunks.push(read.value);
  }
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString("utf8");
  const read = await dialect.readWhole(text, terms);
  if (!read.ok) return read;
  const { facts } = read.value;
  const cut = cutShort(facts, terms);
  if (cut) return err(withUsage(cut, facts, terms));
  const rest = [read.value.text === text ? bytes : Buffer.from(read.value.text)];
  return ok({ taken: takenOf(facts, terms), rest });
}

/** The server said it itself, and the program has read it. */
function serverProblem(problem: string): DomainError {
  return domainError("PROVIDER_ERROR", `the server failed in the middle of its answer: ${problem}`, {
    details: { isPassedOn: true },
  });
}

/** A server that goes on past what was set aside is broken off; twice the estimate, since text is counted by its bytes. */
function overrun({ outputBytes }: AnswerFacts, { granted }: RawTerms): DomainError | undefined {
  return outputBytes / 4 > granted * 2
    ? domainError("BUDGET_EXHAUSTED", `the answer goes on past the ${granted} tokens that were set aside for it`)
    : undefined;
}

/** A program takes the end by length for an answer, so that an answer which the budget cut ends as a failure. */
function cutShort({ finish }: AnswerFacts, { granted, isCut }: RawTerms): DomainError | undefined {
  return isCut && finish?.reason === "max_tokens"
    ? domainError("BUDGET_EXHAUSTED", `the answer was cut after ${granted} tokens, all that was left of the budget`)
    : undefined;
}

function withUsage(error: DomainError, facts: AnswerFacts, terms: RawTerms): DomainError {
  return { ...error, details: { usage: usageOf(facts, terms), ...error.details } };
}

function takenOf(facts: AnswerFacts, terms: RawTerms): RawTaken {
  return {
    text: facts.text,
    reasoning: facts.reasoning,
    tool_calls: facts.calls.map(({ id, name, args = {} }) => ({ id, name, args })),
    finish_reason: facts.finish?.reason ?? "stop",
    finish_raw: facts.finish?.raw ?? "",
    usage: usageOf(facts, terms),
    model: facts.model === "" ? undefined : facts.model,
  };
}

/** What the server reports; what it leaves out is estimated upwards and marked. */
function usageOf({ usage, outputBytes, finish }: AnswerFacts, { input_tokens }: RawTerms): object {
  const reported: ReportedUsage = usage ?? {};
  if (reported.input_tokens !== undefined && reported.output_tokens !== undefined && finish) return reported;
  return {
    ...reported,
    input_tokens: reported.input_tokens ?? input_tokens,
    output_tokens: Math.max(reported.output_tokens ?? 0, Math.ceil(outputBytes / 2)),
    estimated: true,
  };
}
