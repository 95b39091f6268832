import { type DomainError, domainError } from "#core/errors";
import { type JsonObject, ok, type Result } from "#core/values";
import type { JudgedValues, ToolNature, ValueLabel } from "#governance/values";
import type { RecordedValues } from "../approval-kinds/call-question.ts";
import type { Dispatching } from "./dispatch-deps.ts";
import type { RegisteredTool } from "./registry.ts";
import type { ToolCall, ToolDef } from "./tool.ts";

/** Judges the values of a call as it would run. What follows of it is for the caller. */
export async function judgeCallValues(
  call: ToolCall,
  { registered: { tool }, view }: { readonly registered: RegisteredTool; readonly view: JsonObject },
  { scope }: Dispatching,
): Promise<Result<JudgedValues | undefined>> {
  // The order itself makes the call, with arguments that stand in it.
  if (call.from === "order" || !scope.values) return ok(undefined);
  const annotations = natureOf(tool, view);
  return scope.values.judge({ call_id: call.id, tool: tool.name, args: view, annotations });
}

export function deniedByValues(tool: string, judged: JudgedValues): DomainError {
  return domainError("POLICY_DENIED", `"${tool}" was not called: ${judged.explanation}`, {
    details: { judged: recordOf(judged), hint: "name the value in the request, or have a person approve the act" },
  });
}

/** Acts of programs that the sandbox does not keep in. */
const leadsOut: ReadonlySet<string> = new Set(["unconfined", "host"]);

/** What the rules know of a tool: what it says of itself, and whether what it runs can reach anything. */
export function natureOf({ name, origin, annotations, acts }: ToolDef, args: JsonObject): ToolNature {
  const { readOnly, destructive } = annotations;
  const isProgram = origin.startsWith("mcp:") || (origin === "builtin" && name === "exec");
  const isConfined = isProgram && acts !== undefined && !acts(args).some(({ kind }) => leadsOut.has(kind));
  return {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(isConfined ? { confined: true } : {}),
  };
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
