import { domainError } from "#core/errors";
import { loadCel } from "#core/expressions";
import { err, ok, type Result } from "#core/values";
import type { RunStage, StageContext, StageOf } from "../pipeline/stage.ts";

/** Ends the pipeline with what is there, when that is enough. Said in the template, and in the log when it happens. */
export const halting: RunStage<"halting"> = (stage, context) => {
  const met = conditionMet(stage, context);
  if (!met.ok) return met;
  const { fragments, tokens } = context;
  const asked = { fragments: fragments.length, tokens };
  const tooFew = fragments.length < (stage.min_fragments ?? 0);
  if (met.value === undefined || tooFew) return ok({ does: "go on", found: fragments.length, asked });
  return ok({ does: "halt", found: fragments.length, asked, note: met.value });
};

function conditionMet(stage: StageOf<"halting">, context: StageContext): Result<string | undefined> {
  const { fragments, tokens } = context;
  if (stage.max_fragments !== undefined && fragments.length >= stage.max_fragments)
    return ok(`${fragments.length} fragments reach max_fragments ${stage.max_fragments}`);
  if (stage.max_tokens !== undefined && tokens >= stage.max_tokens)
    return ok(`${tokens} tokens reach max_tokens ${stage.max_tokens}`);
  if (stage.when !== undefined) {
    const holds = evaluate(stage.when, context);
    if (!holds.ok) return holds;
    return ok(holds.value ? `${stage.when} is true` : undefined);
  }
  const alone = stage.max_fragments === undefined && stage.max_tokens === undefined;
  return ok(alone && stage.min_fragments !== undefined ? `min_fragments ${stage.min_fragments} is reached` : undefined);
}

/** A condition that cannot be evaluated is an error, never a silent "go on". */
function evaluate(expression: string, { fragments, tokens, meter, request }: StageContext): Result<boolean> {
  const { isCelError, run } = loadCel();
  const value = run(expression, {
    fragments: BigInt(fragments.length),
    tokens: BigInt(tokens),
    queries: BigInt(meter.queries),
    elapsed_ms: BigInt(Math.floor(meter.elapsedMs)),
    aperture: request.aperture ?? "closed",
  });
  if (isCelError(value))
    return err(
      domainError("CONFIG_INVALID", `halting: ${JSON.stringify(expression)} cannot be evaluated: ${value.message}`),
    );
  if (typeof value === "boolean") return ok(value);
  return err(domainError("CONFIG_INVALID", `halting: ${JSON.stringify(expression)} must be true or false`));
}
