// Every refusal and failure of the router: the error that the caller gets, the events in the log, the cost, and whether the
// provider was called.
import { describe, expect, test } from "vitest";
import type { CompletionResponseV1, PromptContractV1 } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Recorder } from "#log";
import { mandateFor } from "../../../test/support/mandates.ts";
import { modelHarness } from "../../../test/support/model.ts";
import { manualClock } from "../../core/values/manual-clock.ts";
import type { PromptRequest } from "./prompt.ts";
import type { ProviderCall } from "./provider.ts";

const inForce = (...contracts: Partial<PromptContractV1>[]) => ({
  mandate: mandateFor(),
  agent_classes: ["RESIDENT"],
  contracts: contracts.map((more) => ({ contract_id: "PRC-T", version: "1.0.0", template: "x", ...more })),
});
const fine = (call: ProviderCall): Result<CompletionResponseV1> =>
  ok({
    text: "fine",
    tool_calls: [],
    finish_reason: "stop",
    usage: { input_tokens: 10, output_tokens: 5 },
    model: call.request.model,
    schema_version: "v1",
  });

interface Row {
  readonly when: string;
  readonly code: string;
  /** Events in the log after the allocation, in order. */
  readonly log: readonly string[];
  /** Number of calls to the provider. */
  readonly asked: number;
  /** Tokens that count as spent afterwards; `all` is the whole reservation. */
  readonly spent: 0 | "all";
  readonly request?: (given: PromptRequest) => Partial<PromptRequest>;
  readonly author?: Partial<PromptRequest["author"]>;
  readonly answer?: (
    call: ProviderCall,
    clock: ReturnType<typeof manualClock>,
  ) => Promise<Result<CompletionResponseV1>>;
  readonly limits?: { readonly token_limit?: number; readonly turn_limit?: number };
  /** Number of failing calls that are made first. */
  readonly failuresBefore?: number;
}

const refused = ["llm.refused"];
const asked = ["reserve", "llm.request", "llm.response", "settle"];

/** The log that cannot take one type of event: the disk is full. */
function fullAt(type: string) {
  return (given: PromptRequest): Partial<PromptRequest> => {
    const { recorder } = given;
    const full: Result<never> = err(domainError("LEDGER_UNAVAILABLE", "no space left on the device"));
    const append = ((input) =>
      input.type === type ? Promise.resolve(full) : recorder.append(input)) as Recorder["append"];
    return { recorder: { session_id: recorder.session_id, append, stage: (input) => recorder.stage(input) } };
  };
}

const narrow: readonly NonNullable<PromptContractV1["applies_to"]>[] = [
  { frameworks: ["FMWK-001"] },
  { agent_classes: ["ADMIN"] },
  { tiers: ["hot"] },
  { roles: ["lead"] },
  { types: ["research"] },
];

const rows: readonly Row[] = [
  {
    when: "the caller is unknown",
    code: "NOT_AUTHORIZED",
    log: refused,
    asked: 0,
    spent: 0,
    author: { caller_id: "" },
  },
  {
    when: "the budget is another order's",
    code: "NOT_AUTHORIZED",
    log: refused,
    asked: 0,
    spent: 0,
    author: { work_order_id: "WO-20261115-002" },
  },
  {
    when: "the framework does not permit the agent's class",
    code: "AGENT_CLASS_NOT_PERMITTED",
    log: refused,
    asked: 0,
    spent: 0,
    author: { agent_class: "ADMIN" },
  },
  {
    when: "the framework has no such contract",
    code: "NOT_AUTHORIZED",
    log: refused,
    asked: 0,
    spent: 0,
    request: () => ({ contract_id: "PRC-OTHER" }),
  },
  ...narrow.map(
    (applies_to): Row => ({
      when: `the contract is for ${JSON.stringify(applies_to)} only`,
      code: "NOT_AUTHORIZED",
      log: refused,
      asked: 0,
      spent: 0,
      author: { inForce: inForce({ applies_to }) },
      request: () => ({ contract_id: "PRC-T" }),
    }),
  ),
  {
    when: "the contract is for another model",
    code: "NOT_AUTHORIZED",
    log: refused,
    asked: 0,
    spent: 0,
    author: { inForce: inForce({ boundary: { model: "other-1" } }) },
    request: () => ({ contract_id: "PRC-T" }),
  },
  {
    when: "the circuit is open",
    code: "CIRCUIT_OPEN",
    log: refused,
    asked: 0,
    spent: 0,
    failuresBefore: 3,
    limits: { token_limit: 1_000_000 },
  },
  {
    when: "the tokens do not suffice",
    code: "BUDGET_EXHAUSTED",
    log: refused,
    asked: 0,
    spent: 0,
    limits: { token_limit: 10 },
  },
  { when: "no call is left", code: "BUDGET_EXHAUSTED", log: refused, asked: 0, spent: 0, limits: { turn_limit: 0 } },
  {
    when: "the request is malformed",
    code: "SCHEMA_VIOLATION",
    log: ["reserve", "settle", "llm.refused"],
    asked: 0,
    spent: 0,
    request: () => ({ tools: [{ name: "all of them" }] as never }),
  },
  {
    when: "the log cannot take PROMPT_SENT",
    code: "LEDGER_UNAVAILABLE",
    log: ["reserve", "settle"],
    asked: 0,
    spent: 0,
    request: fullAt("llm.request"),
  },
  {
    when: "the provider reports an error",
    code: "PROVIDER_ERROR",
    log: asked,
    asked: 1,
    spent: "all",
    answer: async () => err(domainError("PROVIDER_ERROR", "500")),
  },
  {
    when: "the provider says that nothing was sent",
    code: "PROVIDER_ERROR",
    log: asked,
    asked: 1,
    spent: 0,
    answer: async () => err(domainError("PROVIDER_ERROR", "refused", { details: { sent: false } })),
  },
  {
    when: "the adapter throws",
    code: "PROVIDER_ERROR",
    log: asked,
    asked: 1,
    spent: "all",
    answer: () => Promise.reject(new Error("socket hang up")),
  },
  {
    when: "nothing comes within the time limit",
    code: "PROVIDER_TIMEOUT",
    log: asked,
    asked: 1,
    spent: "all",
    answer: (_, clock) => new Promise(() => clock.advance(1_000)),
  },
  {
    when: "nothing comes within the contract's own time limit",
    code: "PROVIDER_TIMEOUT",
    log: asked,
    asked: 1,
    spent: "all",
    author: { inForce: inForce({ boundary: { timeout_ms: 10 } }) },
    request: () => ({ contract_id: "PRC-T" }),
    answer: (_, clock) => new Promise(() => clock.advance(10)),
  },
  {
    when: "the caller cancels",
    code: "CANCELED",
    log: asked,
    asked: 1,
    spent: "all",
    request: () => {
      const controller = new AbortController();
      setImmediate(() => controller.abort());
      return { signal: controller.signal };
    },
    answer: () => new Promise(() => undefined),
  },
  {
    when: "the answer is outside the contract",
    code: "PROVIDER_ERROR",
    log: asked,
    asked: 1,
    spent: "all",
    answer: async () => ok({ text: 5 } as never),
  },
  {
    when: "the log cannot take PROMPT_RECEIVED",
    code: "LEDGER_UNAVAILABLE",
    log: ["reserve", "llm.request", "settle"],
    asked: 1,
    spent: "all",
    request: fullAt("llm.response"),
    answer: async (call) => ok({ ...(await fineValue(call)), usage: undefined as never }),
  },
];

async function fineValue(call: ProviderCall): Promise<CompletionResponseV1> {
  const answered = fine(call);
  if (!answered.ok) throw new Error(answered.error.message);
  return answered.value;
}

describe("the router's error table", () => {
  test.each(rows)("when $when: $code", async (row) => {
    const clock = manualClock();
    let calls = 0;
    let broken = (row.failuresBefore ?? 0) > 0;
    const harness = await modelHarness(
      {
        id: "fake",
        async complete(call) {
          if (broken) return err(domainError("PROVIDER_ERROR", "down"));
          calls += 1;
          return row.answer ? row.answer(call, clock) : fine(call);
        },
      },
      { clock, ...row.limits },
    );
    for (let failure = 0; failure < (row.failuresBefore ?? 0); failure++)
      await harness.router.send(harness.request("x"));
    broken = false;
    const before = { events: harness.recorder.events.length, spent: await spentOf(harness) };
    const plain = harness.request("hi");
    const author = { ...plain.author, ...row.author };
    const answered = await harness.router.send({ ...plain, author, ...row.request?.(plain) });
    expect(codeOf(answered)).toBe(row.code);
    const events = harness.recorder.events
      .slice(before.events)
      .map((event) => (event.type === "budget.updated" ? (event.payload as { action: string }).action : event.type));
    expect(events).toEqual(row.log);
    expect(calls).toBe(row.asked);
    const status = await harness.budgeter.status(harness.scope);
    expect(status.ok && status.value.reserved).toEqual({ tokens: 0, usd: 0 });
    const spent = (await spentOf(harness)) - before.spent;
    if (row.spent === 0) expect(spent).toBe(0);
    else expect(spent).toBeGreaterThan(500); // all of the reserved output, and the input besides
    const [said] = harness.recorder.of("llm.refused").slice(-1);
    if (row.log.includes("llm.refused")) expect(said?.code).toBe(row.code);
  });

  test("an answer that breaks its contract's output_schema is reported and recorded, never passed as good", async () => {
    const schema = { type: "object", required: ["summary"] };
    for (const [text, isGood] of [
      ['{"summary": 1}', true],
      ['```json\n{"summary": 1}\n```', true],
      ["{}", false],
      ["no JSON", false],
    ] as const) {
      const harness = await modelHarness({
        id: "fake",
        complete: async (call) => ok({ ...(await fineValue(call)), text }),
      });
      const plain = harness.request("hi");
      const author = {
        ...plain.author,
        inForce: inForce({ output_schema: schema, boundary: { max_tokens: 50, temperature: 0 } }),
      };
      const answered = await harness.router.send({ ...plain, author, contract_id: "PRC-T" });
      expect(answered.ok && answered.value.problem === undefined).toBe(isGood);
      expect(harness.recorder.of("schema.violation")).toHaveLength(isGood ? 0 : 1);
      expect(harness.recorder.of("llm.request")).toMatchObject([
        { contract_id: "PRC-T", max_tokens: 50, temperature: 0 },
      ]);
    }
  });
});

function codeOf(answered: Result<unknown>): DomainError["code"] | "ok" {
  return answered.ok ? "ok" : answered.error.code;
}

async function spentOf(harness: Awaited<ReturnType<typeof modelHarness>>): Promise<number> {
  const status = await harness.budgeter.status(harness.scope);
  if (!status.ok) throw new Error(status.error.message);
  return status.value.spent.input_tokens + status.value.spent.output_tokens;
}
