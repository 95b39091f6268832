import { parseYaml, validateAgainst, type WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { canonicalJson, err, parseJson, type Result, sha256 } from "#core/values";
import { decodeText } from "#effects";
import { workspacePath } from "#governance";
import type { ExecutionContext } from "../flow/execution-context.ts";
import type { FlowDependencies } from "../flow/flow.ts";
import type { ChangedFile } from "./changed-files.ts";
import type { GateResult } from "./try-criterion.ts";

type DeclaredOutput = NonNullable<WorkOrder["declared_outputs"]>[number];

type CheckDeps = Pick<FlowDependencies, "readFile" | "filesBelow" | "schemas">;
type CheckContext = Pick<ExecutionContext, "session_id" | "mandate">;

/**
 * The order wrote the file, it is there after the work, and it holds what its schema asks for. A path that ends in `/` means a
 * folder with files in it, of which the order wrote at least one.
 */
export async function checkDeclaredOutputs(
  deps: CheckDeps,
  { work_order, ...context }: CheckContext & Pick<ExecutionContext, "work_order">,
  written: readonly ChangedFile[],
): Promise<readonly GateResult[]> {
  const results: GateResult[] = [];
  for (const [index, output] of (work_order.declared_outputs ?? []).entries()) {
    const gate = `declared_outputs[${index}]`;
    const isFolder = output.path.endsWith("/");
    const checked = await (isFolder ? checkFolder : checkFile)(deps, context, gate, output);
    results.push(checked.passed && !isWritten(output, written) ? unwritten(gate, output) : checked);
  }
  return results;
}

/** A file that lay there untouched does not count: otherwise an order that did nothing would keep its promise. */
function isWritten(output: DeclaredOutput, written: readonly ChangedFile[]): boolean {
  const path = workspacePath(output.path);
  if (!path.ok) return false;
  return written.some(
    (file) => file.change !== "delete" && (file.path === path.value || isBelow(path.value, file.path)),
  );
}

function isBelow(folder: string, path: string): boolean {
  return folder === "." || folder === "" || path.startsWith(`${folder}/`);
}

function unwritten(gate: string, { path }: DeclaredOutput): GateResult {
  const message = `${path} was there before, and the order did not write it`;
  return { gate, passed: false, message, details: { path, code: "MISSING_OUTPUT" } };
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
  const inside = workspacePath(path);
  if (!inside.ok) return { gate, passed: false, message: inside.error.message, details: { path } };
  const allowed = mandate.decide({ kind: "read", path: inside.value });
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
