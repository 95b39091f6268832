import type { Invocation } from "#core/commands";
import { domainError } from "#core/errors";
import { err, ok, type Result, type RunId } from "#core/values";
import type { Kernel } from "../kernel/kernel.ts";

const looked = 10_000;

/** The run that the first argument names: by its id, by any unique part of the id, or `last` for the newest. */
export async function runOf(
  kernel: Kernel,
  { arguments: [named = ""] }: Pick<Invocation<object>, "arguments">,
): Promise<Result<RunId>> {
  const whole = await kernel.read.run(named as RunId);
  if (whole.ok || whole.error.code !== "NOT_FOUND") return whole.ok ? ok(named as RunId) : whole;
  const all = await kernel.read.runs({ limit: looked });
  if (!all.ok) return all;
  const ids = all.value.map((run) => run.run_id);
  const newest = ids.toSorted().at(-1); // ids sort by time
  if (named === "last" && newest !== undefined) return ok(newest as RunId);
  const [only, second] = ids.filter((id) => named !== "" && id.toLowerCase().includes(named.toLowerCase()));
  if (only !== undefined && second === undefined) return ok(only as RunId);
  if (only !== undefined)
    return err(
      domainError("AMBIGUOUS_ID", `"${named}" names more than one run: ${only}, ${second}…`, {
        details: { hint: "give more of the id" },
      }),
    );
  return err(
    domainError("NOT_FOUND", `there is no run ${named}`, {
      details: {
        hint:
          ids.length > 0 ? "`writ runs list` names them" : '`writ runs start --app writer --objective "…"` starts one',
      },
    }),
  );
}
