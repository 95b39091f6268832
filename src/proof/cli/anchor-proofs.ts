import { resolve } from "node:path";
import type { Answer } from "#core/commands";
import { argument, type Command, type Opens, optional, text } from "#core/commands";
import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, parseJson, type Result, type SessionId } from "#core/values";
import type { LogReader } from "#log";
import type { Proof } from "../anchors/proof.ts";
import type { AnchorRecord } from "../anchors/read-anchors.ts";
import type { VerifyingKey } from "../anchors/signing-key.ts";
import { readCheckpoint } from "./checkpoint-file.ts";

interface AnchorParts {
  readonly root: string;
  readonly key: VerifyingKey | undefined;
  readonly reader: LogReader;
  readonly schemas: SchemaRegistry;
}

interface ProveParts {
  readonly records: Opens<AnchorParts>;
  readonly "recorded session": Opens<{ readonly session_id: SessionId; readonly records: AnchorParts }>;
}

interface ProveOptions {
  readonly since?: string;
}

export const anchorCheckpoint: Command<"records", AnchorParts> = {
  name: "checkpoint",
  summary: "the newest signed root as a file to keep elsewhere; prints JSON",
  needs: "records",
  json: "the checkpoint, as it is printed without --json",
  arguments: [],
  options: {},
  examples: [
    "writ anchor checkpoint > ~/kept/checkpoint.json",
    "writ session verify --all --checkpoint ~/kept/checkpoint.json",
  ],
  exits: null,
  run: async (records) => {
    const { root, key, reader } = records;
    if (!key) return err(nothingYet());
    const { readAnchorsOf } = await import("../anchors/read-anchors.ts");
    const { newest, faults } = await readAnchorsOf(undefined, root, key, reader);
    const sound = withoutFaults(faults);
    if (!sound.ok) return sound;
    const { checkpointFile } = await import("../anchors/checkpoint.ts");
    return newest ? document(checkpointFile(newest, key)) : err(nothingYet());
  },
};

export const anchorProve: Command<"choice", ProveParts, ProveOptions> = {
  name: "prove",
  summary:
    "a proof for someone who has not the workspace: that a session is under the newest signed root, or, with --since, that this root only adds to an older one",
  needs: "choice",
  json: "the proof, as it is printed without --json",
  arguments: [optional("session", "id, short id, or last", "last")],
  options: { since: text("file", "an older checkpoint") },
  examples: [
    "writ anchor prove last > proof.json",
    "writ anchor prove --since ~/kept/checkpoint.json > proof.json",
    "writ anchor check proof.json",
  ],
  exits: null,
  run: (opens, { options: { since }, context }) => {
    if (since !== undefined) return opens.records((records) => proveSinceFile(resolve(context.cwd, since), records));
    return opens["recorded session"](async ({ session_id, records }) => {
      const anchors = await soundAnchors(records);
      if (!anchors.ok) return anchors;
      const { proveSession } = await import("../anchors/proof.ts");
      const proof = proveSession(session_id, anchors.value.record, anchors.value.key);
      return proof.ok ? document(proof.value) : proof;
    });
  },
};

export const anchorCheck: Command<"nothing", object> = {
  name: "check",
  summary: "check a proof by itself; needs no workspace",
  needs: "nothing",
  json: "ok, and what the proof holds",
  arguments: [argument("file", "a proof that `writ anchor prove` printed")],
  options: {},
  examples: ["writ anchor check proof.json"],
  exits: null,
  run: async (_, { arguments: [file = ""], context }) => {
    const { nodeFiles } = await import("../../core/machine/node-files.ts");
    const read = await nodeFiles.readText(resolve(context.cwd, file));
    if (!read.ok) return read;
    const value = parseJson(read.value);
    if (!value.ok) return value;
    const { checkProof } = await import("../anchors/proof.ts");
    const { shippedRegistry } = await import("../../core/contracts/registry.ts");
    const proof = checkProof(value.value, shippedRegistry());
    return proof.ok
      ? ok({
          json: { ok: true, ...proof.value },
          text: (screen) => `${screen.green(screen.sign.ok)} ${said(proof.value)}\n`,
        })
      : proof;
  },
};

function said({ inclusion, consistency, checkpoint }: Proof): string {
  const root = `the root of ${checkpoint.ts} over ${checkpoint.tree_size} heads, signed by key ${checkpoint.key_id.slice(0, 16)}`;
  if (inclusion)
    return `${inclusion.leaf.session_id} with ${inclusion.leaf.seq} events and head ${inclusion.leaf.head_hash.slice(0, 16)} is under ${root}`;
  return consistency
    ? `${root}, only adds to the one of ${consistency.since.ts} over ${consistency.since.tree_size}`
    : `a checkpoint: ${root}`;
}

async function proveSinceFile(file: string, records: AnchorParts): Promise<Result<Answer>> {
  const { proveSince } = await import("../anchors/proof.ts");
  const old = await readCheckpoint(file, records.schemas);
  if (!old.ok) return old;
  const anchors = await soundAnchors(records);
  if (!anchors.ok) return anchors;
  const proof = proveSince(old.value, anchors.value.record, anchors.value.key);
  return proof.ok ? document(proof.value) : proof;
}

/** Nothing is given out over an anchor log that was changed. */
async function soundAnchors({
  root,
  key,
  reader,
}: AnchorParts): Promise<Result<{ readonly record: AnchorRecord; readonly key: VerifyingKey }>> {
  if (!key) return err(nothingYet());
  const { readAnchors } = await import("../anchors/read-anchors.ts");
  const record = await readAnchors(root, key, reader);
  const sound = withoutFaults(record.faults);
  return sound.ok ? ok({ record, key }) : sound;
}

function withoutFaults([fault]: AnchorRecord["faults"]): Result<void> {
  if (!fault) return ok(undefined);
  return err(
    domainError("LEDGER_CORRUPT", `line ${fault.line} of the anchor log: ${fault.message}`, {
      details: { hint: "`writ session verify --all` says more" },
    }),
  );
}

function document(value: object): Result<Answer> {
  return ok({ json: value, text: () => `${JSON.stringify(value, null, 2)}\n` });
}

function nothingYet() {
  return domainError("NOT_FOUND", "nothing is anchored here yet", {
    details: { hint: "a session is anchored when it closes" },
  });
}
