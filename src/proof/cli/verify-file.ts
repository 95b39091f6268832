import { resolve } from "node:path";
import type { Answer, Invocation } from "#core/commands";
import { domainError } from "#core/errors";
import { shellWord } from "#core/terminal";
import { err, isSessionId, ok, parseJson, type Result } from "#core/values";
import type { VerifyingKey } from "../anchors/signing-key.ts";
import type { SessionAudits } from "../verify/verify-session.ts";
import { readCheckpoint } from "./checkpoint-file.ts";
import { progressLine } from "./progress-line.ts";

export interface FileOptions {
  readonly file?: string;
  readonly checkpoint?: string;
  readonly key?: readonly string[];
  readonly proof?: readonly string[];
}

/** Proves what was handed over, in any folder: asks for no workspace, and believes none that happens to be there. */
export async function verifyFile(
  invocation: Invocation<FileOptions & { readonly all?: boolean }>,
  file: string,
  audits: SessionAudits,
): Promise<Result<Answer>> {
  const { context, screen, options, json } = invocation;
  const [named] = invocation.arguments;
  if (options.all) return wrong("name a file or say --all, not both", "writ session verify --file PATH");
  if (named !== undefined && !isSessionId(named))
    return wrong(
      `with --file a session is named in full: "${named}" could be any`,
      "leave it out to verify whichever session is in the file",
    );
  if (file === "-" && !context.input) return wrong("nothing is handed in on standard input", "pipe an export in");
  const { shippedRegistry } = await import("../../core/contracts/registry.ts");
  const { ledgerRules } = await import("../../core/contracts/generated/tables.ts");
  const schemas = shippedRegistry();
  const path = (each: string) => resolve(context.cwd, each);
  const checkpoint =
    options.checkpoint === undefined ? ok(undefined) : await readCheckpoint(path(options.checkpoint), schemas);
  if (!checkpoint.ok) return checkpoint;
  const keys: VerifyingKey[] = [];
  for (const each of options.key ?? []) {
    const key = await readKey(path(each));
    if (!key.ok) return key;
    keys.push(key.value);
  }
  const proofs: unknown[] = [];
  for (const each of options.proof ?? []) {
    const proof = await readProof(path(each));
    if (!proof.ok) return proof;
    proofs.push(proof.value);
  }
  const { verifyExported } = await import("../verify-exported/verify-exported.ts");
  const progress = progressLine(context.stderr, context, !json);
  const verified = await verifyExported({
    source: file === "-" && context.input ? { input: context.input() } : { path: path(file) },
    ...(named === undefined ? {} : { session_id: named }),
    witnesses: { keys, checkpoint: checkpoint.value, proofs },
    schemas,
    rules: ledgerRules,
    audits,
    signal: context.signal,
    onProgress: (events) => progress.show({ sessions: 0, totalSessions: 1, events }),
  });
  progress.end();
  if (!verified.ok) return verified;
  const result = verified.value;
  const { exportedText } = await import("./verify-text.ts");
  const { ok: isSound, session_id, closed, events, head_hash, violations, notes, form, proved, not_proved } = result;
  const look = (_: string, at: number): string | undefined =>
    form === "bundle" || file === "-"
      ? undefined
      : `sed -n ${Math.max(1, at - 1)},${at + 1}p ${shellWord(form === "folder" ? `${file}/.events.jsonl` : file)}`;
  return ok({
    json: { ok: isSound, session_id, closed, events, head_hash, violations, notes, form, proved, not_proved },
    text: () => exportedText(result, screen, look),
    exit: isSound ? 0 : 1,
  });
}

/** With the keys before it, where what they said of it lies beside the file, as it does in a workspace. */
async function readKey(file: string): Promise<Result<VerifyingKey>> {
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const text = await nodeFiles.readText(file);
  if (!text.ok) return err({ ...text.error, message: `the key cannot be read: ${text.error.message}` });
  const { loadVerifyingKey } = await import("../anchors/succession.ts");
  const { parseVerifyingKey } = await import("../anchors/signing-key.ts");
  const key = parseVerifyingKey(text.value);
  if (key.ok) return loadVerifyingKey(file);
  return err(
    domainError("MALFORMED_INPUT", `${file} is no public key: ${key.error.message}`, {
      details: {
        where: file,
        hint: "the owner has it in planes/hot/keys/signing.pub.pem; a checkpoint of theirs carries it too (--checkpoint)",
      },
    }),
  );
}

async function readProof(file: string): Promise<Result<unknown>> {
  const { nodeFiles } = await import("../../core/machine/node-files.ts");
  const text = await nodeFiles.readText(file);
  if (!text.ok) return err({ ...text.error, message: `the proof cannot be read: ${text.error.message}` });
  const value = parseJson(text.value);
  return value.ok ? value : err({ ...value.error, message: `${file}: ${value.error.message}` });
}

function wrong(message: string, hint: string): Result<never> {
  return err(domainError("MALFORMED_INPUT", message, { details: { hint } }));
}
