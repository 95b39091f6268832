import type { WorkOrder } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { workspacePath } from "#governance";
import { type Mandate } from "#governance/mandate";
import type { FlowDependencies } from "../flow/flow.ts";

/** A file as it was read. */
export interface FileEvidence {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Reads what the order declares as its inputs. One that is missing, may not be read or has other content than declared refuses the order. */
export async function readDeclaredInputs(
  deps: Pick<FlowDependencies, "readFile">,
  { declared_inputs = [] }: WorkOrder,
  mandate: Mandate,
): Promise<Result<readonly FileEvidence[]>> {
  const inputs: FileEvidence[] = [];
  for (const [index, { path, sha256 }] of declared_inputs.entries()) {
    const where = `declared_inputs[${index}]`;
    const inside = workspacePath(path);
    const decision = inside.ok ? mandate.decide({ kind: "read", path: inside.value }) : undefined;
    if (decision?.allowed === false)
      return err(refused(where, `${JSON.stringify(path)} is not read: ${decision.reason}`, { path }));
    const file = await deps.readFile(path);
    if (!file.ok) return err(refused(where, file.error.message, { path }));
    const { hash, bytes } = file.value;
    if (sha256 !== undefined && sha256 !== hash)
      return err(
        refused(where, `${path} has the hash ${hash}, and the order was written for ${sha256}`, {
          path,
          expected: sha256,
          found: hash,
        }),
      );
    inputs.push({ path, sha256: hash, bytes: bytes.length });
  }
  return ok(inputs);
}

function refused(where: string, why: string, details: Readonly<Record<string, string>>): DomainError {
  return domainError("WORK_ORDER_INVALID", `${where} of the work order: ${why}`, { details: { where, ...details } });
}
