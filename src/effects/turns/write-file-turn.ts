import { chmodSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TurnResultV1 } from "#core/contracts";
import { domainError, type ErrorCode, errorCodes } from "#core/errors";
import { err, ok, type Result, type Sha256, sha256 } from "#core/values";
import type { Mandate } from "#governance/mandate";
import type { Recorder } from "#log";
import { decodeText } from "../tools/builtin/readable-path.ts";
import { resolvePath } from "./capability/resolve-path.ts";
import { readBaseState } from "./commit/base-state.ts";
import { executeTurn } from "./execute-turn.ts";
import { unlessGone } from "./files/unless-gone.ts";
import { type FileView, workspaceView } from "./layer/file-view.ts";
import type { FunctionContext, TurnDeps } from "./turn.ts";
import { nextTurnNumber } from "./turn-number.ts";

export interface FileWrite {
  /** Relative to the workspace. */
  readonly path: string;
  readonly content: string;
  /** Of the content to be replaced; empty when the file must not exist. */
  readonly expectedHash: string;
  readonly who: string;
  readonly why: string;
  /** A call repeated under its key: when the file already is what is to be written, it was written. */
  readonly repeated: boolean;
  readonly mandate: Mandate;
  readonly recorder: Recorder;
  readonly workOrderId?: string | null;
  readonly signal?: AbortSignal;
}

export interface Written {
  readonly hash: Sha256;
  readonly bytes: number;
  readonly created: boolean;
}

/** Larger files are not replaced: their content could not be compared within a call. */
const maxReplacedBytes = 64 * 1024 * 1024;

/**
 * The protected write as a turn: one declared output, its expected hash always checked, written into a layer by Writ itself
 * and committed whole. Nothing of a model runs here, so no sandbox is entered, and the evidence says so.
 */
export async function writeFileTurn(deps: TurnDeps, write: FileWrite): Promise<Result<Written>> {
  const { path, expectedHash } = write;
  const resolved = resolvePath(deps.root, path);
  if (!resolved.ok) return resolved;
  // A turn may declare a path through a link inside the workspace; a tool says where it writes, and that is where.
  if (resolved.value.path !== path)
    return err(
      domainError("CAPABILITY_VIOLATION", `${JSON.stringify(path)} goes through a symbolic link; none is followed`),
    );
  const view = deps.layers?.viewOf(write.recorder.session_id) ?? workspaceView(deps.root);
  const before = lstatSync(view.at(path), { throwIfNoEntry: false });
  if (before && before.size > maxReplacedBytes)
    return err(
      domainError(
        "TOOL_ERROR",
        `${JSON.stringify(path)} has ${before.size} bytes; at most ${maxReplacedBytes} are replaced`,
      ),
    );
  // A model is shown nothing of such a file, so it cannot have edited it: what it writes would destroy the rest.
  // What has gone since it was looked at is the turn's to find out.
  const replaced = expectedHash !== "" && before?.isFile() ? unlessGone(() => readFileSync(view.at(path))) : undefined;
  if (replaced && decodeText(replaced) === undefined)
    return err(
      domainError("TOOL_ERROR", `${JSON.stringify(path)} holds bytes that are no UTF-8 text; only text is replaced`, {
        details: { hint: "remove it first, or write it with a program" },
      }),
    );
  const bytes = Buffer.from(write.content, "utf8");
  const written = { hash: sha256(bytes), bytes: bytes.length, created: expectedHash === "" };
  if (write.repeated && isAlready(view, path, written.hash)) return ok(written);
  const result = await executeTurn(deps, {
    recorder: write.recorder,
    capabilities: { write: ["**"] },
    mandate: write.mandate,
    handler: {
      kind: "function",
      name: "fs.write",
      layer: true,
      run: (_, context) => putIntoLayer(context, path, bytes),
    },
    request: {
      package_id: "PKG-WRIT-FS-WRITE",
      turn_number: nextTurnNumber(write.recorder),
      ...(write.workOrderId ? { work_order_id: write.workOrderId } : {}),
      query: { who: write.who, why: write.why, path, expected_hash: expectedHash },
      declared_inputs: [],
      declared_outputs: [{ path, expected_hash: expectedHash }],
    },
    ...(write.signal ? { signal: write.signal } : {}),
  });
  return result.error ? err(asDomainError(result.error)) : ok(written);
}

function isAlready(view: FileView, path: string, hash: Sha256): boolean {
  const found = readBaseState(view, path);
  return found.kind === "file" && found.hash === hash;
}

/** A file keeps its mode, and so do the folders above it: in the layer they stand for those of the workspace. */
function putIntoLayer({ view, writeDir }: FunctionContext, path: string, bytes: Uint8Array): null {
  const parts = path.split("/");
  for (let length = 1; length < parts.length; length++) {
    const folder = parts.slice(0, length).join("/");
    mkdirSync(join(writeDir, folder));
    chmodSync(join(writeDir, folder), modeAt(view.at(folder)) ?? 0o755);
  }
  const target = join(writeDir, path);
  writeFileSync(target, bytes, { flag: "wx" });
  chmodSync(target, modeAt(view.at(path)) ?? 0o644);
  return null;
}

function modeAt(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat && stat.mode & (stat.isDirectory() ? 0o7777 : 0o777);
}

/** The error of a turn for those who call it as a tool. */
export function asDomainError(error: NonNullable<TurnResultV1["error"]>): ReturnType<typeof domainError> {
  const code: ErrorCode = Object.hasOwn(errorCodes, error.code) ? (error.code as ErrorCode) : "INTERNAL";
  return domainError(code, error.message, { details: error.details ?? {} });
}
