import { parseYaml, validateAgainst, type WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, parseJson, type Result, sha256 } from "#core/values";
import { decodeText } from "#effects";
import { workspacePath } from "#governance";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies } from "../flow/flow.ts";
import type { GateResult } from "./try-criterion.ts";

type DeclaredOutput = NonNullable<WorkOrder["declared_outputs"]>[number];

type CheckDeps = Pick<FlowDependencies, "readFile" | "filesBelow" | "schemas">;
type CheckContext = Pick<ExecutionContext, "session_id" | "mandate">;

/** The file exists after the work, and holds what its schema asks for. A path that ends in `/` means a folder with files in it. */
export async function checkDeclaredOutput(
  deps: CheckDeps,
  context: CheckContext,
  gate: string,
  output: DeclaredOutput,
): Promise<GateResult> {
  return output.path.endsWith("/") ? checkFolder(deps, context, gate, output) : checkFile(deps, context, gate, output);
}

/** Files of a declared folder that are looked at; one that holds more is not judged by a sample. */
const mostFiles = 10_000;

/** At least one file lies below it, and each holds what the schema asks for. */
async function checkFolder(
  deps: CheckDeps,
  context: CheckContext,
  gate: string,
  { path: declared, schema_id }: DeclaredOutput,
): Promise<GateResult> {
  const folder = workspacePath(declared);
  if (!folder.ok) return { gate, passed: false, message: folder.error.message, details: { path: declared } };
  const files = deps.filesBelow(folder.value, context.session_id, mostFiles + 1);
  const failed = (message: string, more: object = {}): GateResult => ({
    gate,
    passed: false,
    message,
    details: { path: declared, ...more },
  });
  if (files.length === 0) return failed(`there is no file in ${declared}`, { code: "MISSING_OUTPUT" });
  if (files.length > mostFiles) return failed(`${declared} holds more than ${mostFiles} files`);
  const hashes: Record<string, string> = {};
  for (const path of files) {
    const checked = await checkFile(deps, context, gate, { path, ...(schema_id === undefined ? {} : { schema_id }) });
    if (!checked.passed) return { ...checked, details: { ...checked.details, path: declared, file: path } };
    const hash = checked.details?.["sha256"];
    hashes[path] = typeof hash === "string" ? hash : "";
  }
  return {
    gate,
    passed: true,
    details: { path: declared, files: files.length, sha256: sha256(canonicalJson(hashes)) },
  };
}

async function checkFile(
  deps: CheckDeps,
  { session_id, mandate }: CheckContext,
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
