import { domainError, type ErrorCode, errorCodes } from "#core/errors";
import { type Clock, err, ok, type Result, sleep } from "#core/values";
import type { CompletionResponse } from "../../completion.ts";
import type { Provider, ProviderCall } from "../../provider.ts";
import { fill } from "./fill.ts";
import { followRole } from "./follow-role.ts";
import { type Rehearsal, rehearsed } from "./rehearsal.ts";
import type { Respond, Rule } from "./script.ts";

/** How many sessions' `times` counts are kept; the oldest session is forgotten first. */
const rememberedSessions = 10_000;

/** A model that says what its script says, else what was rehearsed: deterministic, without a key, with faults on demand. */
export function scriptedProvider(
  rules: readonly Rule[],
  clock: Clock,
  rehearsals: readonly Rehearsal[] = [],
): Provider {
  const used = new Map<string, Map<Rule, number>>();

  const spend = (session: string, rule: Rule): boolean => {
    const limit = rule.respond.times;
    if (limit === undefined) return true;
    const counts = used.get(session) ?? new Map<Rule, number>();
    used.set(session, counts);
    if (used.size > rememberedSessions) used.delete(used.keys().next().value ?? "");
    const count = counts.get(rule) ?? 0;
    counts.set(rule, count + 1);
    return count < limit;
  };

  return {
    id: "scripted",
    async complete(call) {
      for (const rule of rules) {
        const groups = matches(rule, call);
        if (groups && spend(call.meta.session_id, rule)) return respond(rule.respond, groups, call, clock);
      }
      const said = (await rehearsed(rehearsals, call)) ?? followRole(call);
      return answer(call, "text" in said ? { text: said.text } : { tool_calls: [...said.toolCalls] });
    },
  };
}

function matches(rule: Rule, { meta }: ProviderCall): readonly (string | undefined)[] | undefined {
  if (rule.role !== undefined && !speaksAs(rule.role, meta.role)) return undefined;
  if (rule.call !== undefined && rule.call !== meta.call) return undefined;
  if (rule.skill !== undefined && rule.skill !== meta.skill) return undefined;
  if (rule.persona !== undefined && rule.persona !== meta.persona) return undefined;
  return rule.prompt ? rule.prompt.match(meta.prompt) : [];
}

/** An agent that works alone does the worker's part, so that a script for the worker serves it too. */
function speaksAs(role: string, speaker: string): boolean {
  return role === speaker || (role === "worker" && speaker === "solo");
}

async function respond(
  respond: Respond,
  groups: readonly (string | undefined)[],
  call: ProviderCall,
  clock: Clock,
): Promise<Result<CompletionResponse>> {
  if (respond.delay_ms !== undefined && !(await sleep(clock, respond.delay_ms, call.signal)))
    return err(domainError("CANCELED", "the scripted answer was canceled while it waited"));
  if (respond.error) {
    const { status, message, retryable } = respond.error;
    const code =
      respond.error.code !== undefined && Object.hasOwn(errorCodes, respond.error.code)
        ? (respond.error.code as ErrorCode)
        : "PROVIDER_ERROR";
    return err(
      domainError(code, message ?? `the scripted provider answered ${status ?? "with an error"}`, {
        // A status is a refusal, which is not billed; without it the connection broke, and what was used is unknown.
        details: {
          sent: true,
          ...(status === undefined ? {} : { status, usage: { input_tokens: 0, output_tokens: 0 } }),
        },
        ...(retryable === undefined ? {} : { retryable }),
      }),
    );
  }
  return answer(call, respond.raw === undefined ? fill(respond, groups, call.meta.prompt) : respond);
}

function answer(call: ProviderCall, said: Respond): Result<CompletionResponse> {
  const text = said.raw ?? said.text ?? (said.json === undefined ? "" : JSON.stringify(said.json));
  const tool_calls = (said.tool_calls ?? []).map((each, index) => ({
    id: each.id ?? `${call.meta.persona ?? call.meta.role}-${call.meta.call}-${index + 1}`,
    name: each.name,
    args: each.args ?? {},
  }));
  call.onText?.(text);
  return ok({
    text,
    tool_calls,
    finish_reason: said.finish_reason ?? (tool_calls.length > 0 ? "tool_use" : "stop"),
    usage: (said.usage === undefined ? estimate(call, text) : said.usage) as CompletionResponse["usage"],
    model: call.request.model,
    schema_version: "v2",
  });
}

/** Four characters to a token. Only the last message is measured: walking all of them would cost the square of a long talk. */
function estimate({ request }: ProviderCall, text: string): CompletionResponse["usage"] {
  const last = request.messages.at(-1) as { content: string } | undefined;
  return {
    input_tokens: Math.ceil((last?.content.length ?? 0) / 4) + 8,
    output_tokens: Math.ceil(text.length / 4) + 4,
  };
}
