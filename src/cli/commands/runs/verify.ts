import type { Command } from "commander";
import { domainError, err, ok, type Result } from "#base";
import type { OpenKernel, VerifiedRun } from "#compose";
import type { Answer, Invocation } from "../../act.ts";
import type { CliContext } from "../../context.ts";
import type { Screen } from "../../output/screen.ts";
import type { KernelOptions } from "../../with-kernel.ts";
import { workspaceOf } from "../../workspace-of.ts";
import { runOf } from "./run-of.ts";
import { subCommand } from "./sub-command.ts";

interface VerifyOptions extends KernelOptions {
  readonly all?: boolean;
}

export function add(runs: Command, context: CliContext): void {
  subCommand<VerifyOptions>(runs, context, {
    name: "verify [run]",
    description: "prove that a run's records are what its history and its anchored head say",
    examples: ["verify 7qk2m9", "verify --all"],
    work: verify,
  }).option("--all", "every run, and that none of those that were anchored is gone");
}

async function verify(open: OpenKernel, invocation: Invocation<VerifyOptions>): Promise<Result<Answer>> {
  const [named] = invocation.arguments;
  if ((named === undefined) === !invocation.options.all)
    return err(
      domainError(
        "MALFORMED_INPUT",
        named === undefined ? "say which run to verify" : "name a run or say --all, not both",
      ),
    );
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const runId = named === undefined ? ok(undefined) : await runOf(open.kernel, invocation);
  if (!runId.ok) return runId;
  const { verifyRuns } = await import("#compose");
  const verified = await verifyRuns({ root: root.value, env: invocation.context.env, ...open }, runId.value);
  if (!verified.ok) return verified;
  const isSound = verified.value.every((run) => run.ok);
  return ok({
    json: { ok: isSound, runs: verified.value },
    text: (screen) => verified.value.map((run) => tell(run, screen)).join("") || "No runs.\n",
    exit: isSound ? 0 : 1,
  });
}

function tell({ run_id, ok: isSound, events, anchored_seq, violations }: VerifiedRun, screen: Screen): string {
  const anchored = anchored_seq === null ? "not anchored yet" : `anchored up to event ${anchored_seq}`;
  const sign = isSound ? screen.green(screen.sign.ok) : screen.red(screen.sign.bad);
  return [`${sign} ${run_id}  ${events} events, ${anchored}`, ...violations.map((each) => `    ${each}`)]
    .map((line) => `${line}\n`)
    .join("");
}
