import type { Command } from "commander";
import { domainError, err, ok } from "#base";
import { act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { plural } from "../session/format.ts";
import { withRecords, withSession } from "../session/with-records.ts";

export function register(program: Command, context: CliContext): void {
  const anchor = program
    .command("anchor")
    .description("signed roots over all sessions, to keep where nobody here can change them");
  anchor
    .command("checkpoint")
    .description("the newest signed root as a file to keep elsewhere; prints JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ anchor checkpoint > ~/kept/checkpoint.json\n  $ writ session verify --all --checkpoint ~/kept/checkpoint.json\n",
    )
    .action(
      act(context, (invocation) =>
        withRecords(invocation, async ({ root, key }) => {
          const { checkpointFile, readAnchors } = await import("#events");
          const { checkpoints, faults } = await readAnchors(root, key);
          const newest = checkpoints.at(-1);
          const [fault] = faults;
          if (fault)
            return err(
              domainError("LEDGER_CORRUPT", `line ${fault.line} of the anchor log: ${fault.message}`, {
                details: {
                  hint: "`writ session verify --all` says more; no checkpoint is given out over a changed log",
                },
              }),
            );
          if (!newest || !key)
            return err(
              domainError("NOT_FOUND", "nothing is anchored here yet", {
                details: { hint: "a session is anchored when it closes" },
              }),
            );
          const file = checkpointFile(newest, key);
          return ok({ json: file, text: () => `${JSON.stringify(file, null, 2)}\n` });
        }),
      ),
    );
  anchor
    .command("prove")
    .description("the proof that a closed session is under the newest signed root (RFC 9162), as JSON")
    .argument("[session]", "id, short id, or last", "last")
    .addHelpText("after", "\nExample:\n  $ writ anchor prove last > proof.json\n")
    .action(
      act(context, (invocation) =>
        withSession(invocation, async (session_id, { root, key }) => {
          const { checkpointFile, inclusionProof, readAnchors } = await import("#events");
          const { leaves, hashes, checkpoints } = await readAnchors(root, key);
          const index = leaves.findLastIndex((leaf) => leaf.session_id === session_id);
          const newest = checkpoints.at(-1);
          if (index < 0 || !newest || !key)
            return err(
              domainError("NOT_FOUND", `${session_id} is not anchored`, {
                details: { hint: "a session is anchored when it closes" },
              }),
            );
          const proof = inclusionProof(hashes, index).map((hash) => hash.toString("hex"));
          const document = {
            leaf: leaves[index],
            leaf_index: index,
            inclusion_proof: proof,
            checkpoint: checkpointFile(newest, key),
          };
          return ok({
            json: document,
            text: (screen) =>
              `${JSON.stringify(document, null, 2)}\n${screen.live ? screen.dim(`${plural(proof.length, "hash")} from this session to the root over ${plural(hashes.length, "head")}\n`) : ""}`,
          });
        }),
      ),
    );
}
