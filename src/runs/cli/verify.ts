import { type Command, flag, type Opens } from "#core/commands";
import { domainError } from "#core/errors";
import type { Screen } from "#core/terminal";
import { err, ok } from "#core/values";
import type { VerifiedRun, verifyRuns } from "../runs-anchored.ts";
import { runOf } from "./run-of.ts";
import { optionalRun } from "./run-parts.ts";

type Verified = Parameters<typeof verifyRuns>[0];

interface VerifyParts {
  readonly "existing kernel": Opens<Pick<Verified, "kernel" | "documents" | "postgres">>;
  readonly workspace: Opens<{ readonly root: string }>;
}

interface VerifyOptions {
  readonly all?: boolean;
}

export const verify: Command<"choice", VerifyParts, VerifyOptions> = {
  name: "verify",
  summary: "prove that a run's records are what its history and its anchored head say",
  needs: "choice",
  json: "ok, and runs with run_id, ok, events, anchored_seq and violations",
  arguments: [optionalRun],
  options: { all: flag("every run, and that none of those that were anchored is gone") },
  examples: ["writ runs verify 7qk2m9", "writ runs verify --all"],
  exits: { 1: "a record does not hold" },
  run: (opens, invocation) =>
    opens["existing kernel"]((open) =>
      opens.workspace(async ({ root }) => {
        const [named] = invocation.arguments;
        if ((named === undefined) === !invocation.options.all)
          return err(
            domainError(
              "MALFORMED_INPUT",
              named === undefined ? "say which run to verify" : "name a run or say --all, not both",
            ),
          );
        const runId = named === undefined ? ok(undefined) : await runOf(open.kernel, invocation);
        if (!runId.ok) return runId;
        const { verifyRuns } = await import("../runs-anchored.ts");
        const verified = await verifyRuns({ root, env: invocation.context.env, ...open }, runId.value);
        if (!verified.ok) return verified;
        const isSound = verified.value.every((run) => run.ok);
        return ok({
          json: { ok: isSound, runs: verified.value },
          text: (screen) => verified.value.map((run) => tell(run, screen)).join("") || "No runs.\n",
          exit: isSound ? 0 : 1,
        });
      }),
    ),
};

function tell({ run_id, ok: isSound, events, anchored_seq, violations }: VerifiedRun, screen: Screen): string {
  const anchored = anchored_seq === null ? "not anchored yet" : `anchored up to event ${anchored_seq}`;
  const sign = isSound ? screen.green(screen.sign.ok) : screen.red(screen.sign.bad);
  return [`${sign} ${run_id}  ${events} events, ${anchored}`, ...violations.map((each) => `    ${each}`)]
    .map((line) => `${line}\n`)
    .join("");
}
