import { canonicalJson, type JsonObject, parseJson } from "#core/values";
import type { FlowResult } from "../flow/execution-context.ts";
import type { EvalPorts, Grade } from "./ports.ts";
import type { Grader, PreparedCase } from "./suite.ts";

const defaultPass = 0.7;
const defaultSeconds = 60;

/** A case, and the flow's answer. */
export interface AnsweredCase {
  readonly one: PreparedCase;
  readonly result: FlowResult;
}

/** Runs one grader. If the grader itself fails, the answer does not pass. */
export async function grade(
  grader: Grader,
  { one, result }: AnsweredCase,
  ports: EvalPorts,
  signal: AbortSignal,
): Promise<Grade> {
  const answer = result.response ?? "";
  const name = grader.name ?? grader.kind;
  const say = (passed: boolean, reason: string, more: Partial<Grade> = {}): Grade => ({
    grader: name,
    passed,
    reason,
    ...more,
  });
  switch (grader.kind) {
    case "expected": {
      const met = meets(answer, one.expected);
      return say(met, met ? "as expected" : `expected ${shown(one.expected)}, came ${shown(answer)}`);
    }
    case "schema": {
      const document = parseJson(answer);
      if (!document.ok) return say(false, `the answer is no JSON: ${document.error.message}`);
      const valid = ports.validate(grader.schema, document.value);
      return valid.ok ? say(true, `fits ${grader.schema}`) : say(false, valid.error.message);
    }
    case "cel": {
      const value = grader.compiled.evaluate(factsOf(one, result));
      if (!value.ok) return say(false, value.error.message);
      return say(value.value === true, `${grader.expression} is ${String(value.value)}`);
    }
    case "command": {
      const ran = await ports.runCommand(
        grader.command,
        { stdin: answer, timeoutSeconds: grader.timeout_seconds ?? defaultSeconds },
        signal,
      );
      if (!ran.ok) return say(false, ran.error.message);
      const { exit, said, session_id } = ran.value;
      return say(exit === 0, `ended with ${exit}${said ? `: ${said.slice(0, 300)}` : ""}`, { session_id });
    }
    case "model": {
      const { rubric, profile, at_least = defaultPass } = grader;
      const judged = await ports.askModel(
        { rubric, input: one.input, answer, expected: one.expected, ...(profile === undefined ? {} : { profile }) },
        signal,
      );
      if (!judged.ok) return say(false, judged.error.message);
      const { score, reason, session_id } = judged.value;
      return say(score >= at_least, reason, { score, session_id });
    }
  }
}

/** A text must occur in the answer; any other value must equal the answer as JSON. */
function meets(answer: string, expected: unknown): boolean {
  if (typeof expected === "string") return answer.includes(expected);
  const document = parseJson(answer);
  return document.ok && canonicalJson(document.value) === canonicalJson(expected);
}

function factsOf(one: PreparedCase, result: FlowResult): JsonObject {
  const { tokens_used, usd = 0, duration_ms, status, verdict = null } = result;
  const [input, output] = [tokens_used?.input ?? 0, tokens_used?.output ?? 0];
  return {
    input: one.input,
    output: result.response ?? "",
    expected: (one.expected ?? null) as JsonObject,
    status,
    verdict,
    tokens: { input, output, total: input + output },
    usd,
    duration_ms,
  };
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
