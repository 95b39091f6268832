import { domainError } from "#core/errors";
import { err, type JsonObject, ok, type Result } from "#core/values";
import type { JudgedValues, ValueLabel } from "#governance/values";
import type { RecordedValues } from "../approval-kinds/call-question.ts";
import type { Dispatching } from "./dispatch-deps.ts";
import type { RegisteredTool } from "./registry.ts";
import type { ToolCall } from "./tool.ts";

/** Judges the values of a call as it would run. A denial is an error here; a question is for the caller to ask. */
export async function judgeCallValues(
  call: ToolCall,
  { registered: { tool }, view }: { readonly registered: RegisteredTool; readonly view: JsonObject },
  { scope }: Dispatching,
): Promise<Result<JudgedValues | undefined>> {
  // The order itself makes the call, with arguments that stand in it.
  if (call.from === "order" || !scope.values) return ok(undefined);
  const { readOnly, destructive } = tool.annotations;
  const annotations = {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(destructive === undefined ? {} : { destructive }),
  };
  const judged = await scope.values.judge({ call_id: call.id, tool: tool.name, args: view, annotations });
  if (!judged.ok || judged.value?.verdict !== "deny") return judged;
  return err(
    domainError("POLICY_DENIED", `"${tool.name}" was not called: ${judged.value.explanation}`, {
      details: {
        judged: recordOf(judged.value),
        hint: "name the value in the request, or have a person approve the act",
      },
    }),
  );
}

export function recordOf({ values, verdict, rule, rules_hash, shadow }: JudgedValues): RecordedValues {
  return {
    values: values.map(copyOf),
    verdict,
    ...(rule === undefined ? {} : { rule }),
    rules_hash,
    ...(shadow === undefined ? {} : { shadow: shadow.map((each) => ({ ...each })) }),
  };
}

type Recorded = NonNullable<RecordedValues["values"]>[number];

function copyOf({ at, span, sink, kind, from, ref }: ValueLabel): Recorded {
  return {
    at,
    ...(span === undefined ? {} : { span: [span[0], span[1]] }),
    sink,
    ...(kind === undefined ? {} : { kind }),
    from: [...from] as Recorded["from"],
    ...(ref === undefined ? {} : { ref: ref.slice(0, 16) }),
  };
}
