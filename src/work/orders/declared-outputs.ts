import type { WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { workspacePath } from "#governance";
import type { Mandate } from "#governance/mandate";

/** An order that promises a file which it may not write can only fail, so it is refused before anything is paid for it. */
export function checkPromisedOutputs({ declared_outputs = [] }: WorkOrder, mandate: Mandate): Result<void> {
  for (const [index, { path: declared }] of declared_outputs.entries()) {
    const path = workspacePath(declared);
    const decision = path.ok ? mandate.decide({ kind: "write", path: path.value }) : undefined;
    if (decision?.allowed || (path.ok && mandate.mayWriteBelow(path.value))) continue;
    const where = `declared_outputs[${index}]`;
    const why = path.ok ? `is not written: ${decision?.reason}` : `is refused: ${path.error.message}`;
    return err(
      domainError("WORK_ORDER_INVALID", `${where} of the work order: ${JSON.stringify(declared)} ${why}`, {
        details: { where, path: declared },
      }),
    );
  }
  return ok(undefined);
}
