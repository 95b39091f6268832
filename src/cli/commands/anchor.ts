import { resolve } from "node:path";
import type { Command } from "commander";
import { domainError, err, ok, parseJson, type Result } from "#base";
import type { Records } from "#compose";
import type { AnchorRecord, Proof, VerifyingKey } from "#events";
import { type Answer, act, type Invocation } from "../act.ts";
import { askingForTrust } from "../ask-for-trust.ts";
import type { CliContext } from "../context.ts";
import { readCheckpoint } from "../session/checkpoint-file.ts";
import { withRecords, withSession } from "../session/with-records.ts";
import { withRuntime } from "../with-runtime.ts";
import { workspaceOf } from "../workspace-of.ts";

export function register(program: Command, context: CliContext): void {
  const anchor = program
    .command("anchor")
    .description("signed roots over all sessions, to keep where nobody here can change them")
    .addHelpText("after", "\nExamples:\n  $ writ anchor checkpoint\n  $ writ anchor prove last\n");
  anchor
    .command("checkpoint")
    .description("the newest signed root as a file to keep elsewhere; prints JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ anchor checkpoint > ~/kept/checkpoint.json\n  $ writ session verify --all --checkpoint ~/kept/checkpoint.json\n",
    )
    .action(
      act(context, (invocation) =>
        withRecords(invocation, async (records) => {
          const anchors = await soundAnchors(records);
          if (!anchors.ok) return anchors;
          const { checkpointFile } = await import("#events");
          const newest = anchors.value.record.checkpoints.at(-1);
          return newest ? document(checkpointFile(newest, anchors.value.key)) : err(nothingYet());
        }),
      ),
    );
  anchor
    .command("prove")
    .description(
      "a proof for someone who has not the workspace: that a session is under the newest signed root, or, with --since, that this root only adds to an older one",
    )
    .argument("[session]", "id, short id, or last", "last")
    .option("--since <file>", "an older checkpoint")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ anchor prove last > proof.json\n  $ writ anchor prove --since ~/kept/checkpoint.json > proof.json\n  $ writ anchor check proof.json\n",
    )
    .action(
      act<{ since?: string }>(context, (invocation) => {
        const { since } = invocation.options;
        if (since !== undefined)
          return withRecords(invocation, (records) => proveSinceFile(resolve(context.cwd, since), records));
        return withSession(invocation, async (session_id, records) => {
          const anchors = await soundAnchors(records);
          if (!anchors.ok) return anchors;
          const { proveSession } = await import("#events");
          const proof = proveSession(session_id, anchors.value.record, anchors.value.key);
          return proof.ok ? document(proof.value) : proof;
        });
      }),
    );
  anchor
    .command("rotate")
    .description("a new signing key; the old one names it, and what it signed still counts. Stop everything else first")
    .option("--reason <text>", "why, for the record", "changed by hand")
    .addHelpText("after", '\nExample:\n  $ writ anchor rotate --reason "yearly"\n')
    .action(act<{ readonly reason: string }>(context, (invocation) => rotate(invocation)));
  anchor
    .command("check")
    .description("check a proof by itself; needs no workspace")
    .argument("<file>", "a proof that `writ anchor prove` printed")
    .addHelpText("after", "\nExample:\n  $ writ anchor check proof.json\n")
    .action(
      act(context, async ({ arguments: [file = ""] }) => {
        const { nodeFiles } = await import("#compose");
        const text = await nodeFiles.readText(resolve(context.cwd, file));
        if (!text.ok) return text;
        const value = parseJson(text.value);
        if (!value.ok) return value;
        const { checkProof } = await import("#events");
        const { shippedRegistry } = await import("#schemas");
        const proof = checkProof(value.value, shippedRegistry());
        return proof.ok
          ? ok({
              json: { ok: true, ...proof.value },
              text: (screen) => `${screen.green(screen.sign.ok)} ${said(proof.value)}\n`,
            })
          : proof;
      }),
    );
}

/** Everything else must be stopped: a process that outlives the change cannot anchor any more, and says so. */
async function rotate(invocation: Invocation<{ readonly reason: string }>): Promise<Result<Answer>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const { recordRotation, rotateSigningKey } = await import("#compose");
  const { clock, random, env, version } = invocation.context;
  const rotated = await askingForTrust(invocation, () =>
    rotateSigningKey({ root: root.value, clock, random, env, version }),
  );
  if (!rotated.ok) return rotated;
  return withRuntime(invocation, async (runtime) => {
    const told = await recordRotation(runtime, rotated.value, invocation.options.reason);
    if (!told.ok) return told;
    const { key_id, next_key_id, tree_size } = rotated.value;
    return ok({
      json: rotated.value,
      text: (screen) =>
        `${screen.green(screen.sign.ok)} the key ${next_key_id.slice(0, 16)} signs from here on; ${key_id.slice(0, 16)} counts for the ${tree_size} heads before\n\nnext: writ anchor checkpoint, and keep it elsewhere\n`,
    });
  });
}

function said({ inclusion, consistency, checkpoint }: Proof): string {
  const root = `the root of ${checkpoint.ts} over ${checkpoint.tree_size} heads, signed by key ${checkpoint.key_id.slice(0, 16)}`;
  if (inclusion)
    return `${inclusion.leaf.session_id} with ${inclusion.leaf.seq} events and head ${inclusion.leaf.head_hash.slice(0, 16)} is under ${root}`;
  return consistency
    ? `${root}, only adds to the one of ${consistency.since.ts} over ${consistency.since.tree_size}`
    : `a checkpoint: ${root}`;
}

async function proveSinceFile(file: string, records: Records): Promise<Result<Answer>> {
  const { proveSince } = await import("#events");
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
}: Records): Promise<Result<{ readonly record: AnchorRecord; readonly key: VerifyingKey }>> {
  if (!key) return err(nothingYet());
  const { readAnchors } = await import("#events");
  const record = await readAnchors(root, key, reader);
  const [fault] = record.faults;
  if (!fault) return ok({ record, key });
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
