import { parseYaml, validateAgainst, type WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, parseJson, type Result } from "#core/values";
import { decodeText } from "#effects";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies } from "../flow/flow.ts";
import type { GateResult } from "./try-criterion.ts";

type DeclaredOutput = NonNullable<WorkOrder["declared_outputs"]>[number];

/** The file exists after the work, and holds what its schema asks for. */
export async function checkDeclaredOutput(
  deps: Pick<FlowDependencies, "readFile" | "schemas">,
  { session_id, mandate }: Pick<ExecutionContext, "session_id" | "mandate">,
  gate: string,
  { path, schema_id }: DeclaredOutput,
): Promise<GateResult> {
  const allowed = mandate.decide({ kind: "read", path });
  if (!allowed.allowed)
    return { gate, passed: false, message: `${path} may not be read: ${allowed.reason}`, details: { path } };
  const file = await deps.readFile(path, session_id);
  // A folder and a file that is too large to hash are there; what they hold is not compared with anything.
  if (!file.ok && file.error.code === "TOOL_ERROR" && schema_id === undefined)
    return { gate, passed: true, details: { path } };
  if (!file.ok) {
    const code = file.error.code === "NOT_FOUND" ? "MISSING_OUTPUT" : file.error.code;
    return { gate, passed: false, message: file.error.message, details: { path, code } };
  }
  const details = { path, sha256: file.value.hash };
  if (schema_id === undefined) return { gate, passed: true, details };
  const document = readDocument(path, decodeText(file.value.bytes));
  const checked = document.ok ? validateAgainst(deps.schemas, schema_id, gate, document.value) : document;
  if (checked.ok) return { gate, passed: true, details };
  return { gate, passed: false, message: `${path}: ${checked.error.message}`, details };
}

function readDocument(path: string, text: string | undefined): Result<unknown> {
  if (text === undefined) return err(domainError("MALFORMED_INPUT", "it is not text"));
  return /\.ya?ml$/i.test(path) ? parseYaml(text) : parseJson(text);
}
