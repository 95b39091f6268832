import { canonicalJson, ok, type Result } from "#core/values";
import type { FlowDependencies } from "../flow/flow.ts";
import { checkTransformed, type Judging, judgeCall, refuseCall } from "../model-calls/judge-call.ts";
import type { AskedCall, CallVerdict, ForeignRequest } from "./dialect.ts";

interface ForeignJudging extends Judging {
  readonly deps: Judging["deps"] & Pick<FlowDependencies, "redact" | "keyedHash">;
}

/**
 * Judges a call in an answer before the program sees it. One that is let through has its permit on disk first. Hooks see what
 * the record sees, so that arguments from which something was taken out cannot be rewritten by them, only allowed or refused.
 */
export async function judgeForeign(
  judging: ForeignJudging,
  call: AskedCall,
  of: { readonly request_id: string; readonly role: string; readonly request: ForeignRequest },
): Promise<Result<CallVerdict>> {
  const { deps, agents } = judging;
  const { id, name, args } = call;
  const { role, request_id, request } = of;
  const tools = request.tools.map(({ offer }) => offer);
  const shown = args && deps.redact(args);
  const judged = await judgeCall(judging, { id, name, role, tools, args: shown });
  if (!judged.ok || !judged.value.isAllowed) return judged;
  const { isTransformed, args: decided, offered } = judged.value;
  const refuse = (code: string, reason: string) => refuseCall(agents, { id, name, role }, { code, reason });
  if (isTransformed && canonicalJson(shown) !== canonicalJson(args))
    return refuse("GATE_DENIED", "a hook rewrote arguments that hold a secret, which it cannot see");
  const fits = isTransformed ? checkTransformed(deps, offered, decided) : ok(undefined);
  if (!fits.ok) return refuse(fits.error.code, fits.error.message);
  const released = isTransformed ? decided : (args ?? {});
  const permitted = await agents.recorder.append({
    type: "foreign.permit",
    actor: role,
    payload: {
      request_id,
      call_id: id.slice(0, 256),
      name: name.slice(0, 256),
      args_hash: deps.keyedHash(canonicalJson(released)),
      ...(isTransformed ? { transformed: true } : {}),
    },
  });
  if (!permitted.ok) return permitted;
  return ok({ isAllowed: true, ...(isTransformed ? { args: decided } : {}) });
}
