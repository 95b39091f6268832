import type { Command } from "commander";
import { domainError, err, ok, type Result, type SessionId } from "#base";
import type { Runtime } from "#compose";
import { type Answer, act } from "../act.ts";
import type { CliContext } from "../context.ts";
import { withRuntime } from "../with-runtime.ts";

interface HaltOptions {
  readonly all?: boolean;
  readonly lift?: boolean;
  readonly reason?: string;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("halt")
    .description("the kill switch: stop a session, or everything; running calls are cancelled within a second")
    .argument("[session]", "id, short id, or last")
    .option("--all", "everything in this workspace, and nothing new starts")
    .option("--lift", "end the halt of the session, with --all that of everything, alone every halt")
    .option("--reason <text>", "why, for the record", "halted by hand")
    .addHelpText(
      "after",
      '\nWithout arguments it says which halts stand. What was halted goes on with `writ session resume`.\n\nExamples:\n  $ writ halt 7qk2\n  $ writ halt --all --reason "the model leaks"\n  $ writ halt --lift\n',
    )
    .action(
      act<HaltOptions>(context, (invocation) =>
        withRuntime(invocation, async (runtime) => {
          const { all = false, lift = false, reason = "" } = invocation.options;
          const wanted = invocation.arguments[0];
          if (all && wanted !== undefined)
            return err(domainError("MALFORMED_INPUT", "name a session or say --all, not both"));
          const target = all ? ok(null) : await sessionOf(wanted, runtime);
          if (!target.ok) return target;
          if (lift) return liftHalt(runtime, target.value);
          if (target.value === undefined) return standing(runtime);
          const halted = await runtime.halt(target.value, reason);
          if (!halted.ok) return halted;
          const what = target.value ?? "everything in this workspace";
          return ok({
            json: { halted: target.value ?? "*", by: runtime.caller, reason },
            text: () => `halted: ${what} (${reason})\nend it with: writ halt --lift\n`,
          });
        }),
      ),
    );
}

async function sessionOf(wanted: string | undefined, runtime: Runtime): Promise<Result<SessionId | undefined>> {
  if (wanted === undefined) return ok(undefined);
  const { resolveSession } = await import("../session/resolve-session.ts");
  return resolveSession(wanted, { root: runtime.root, reader: runtime.log });
}

async function liftHalt(runtime: Runtime, target: SessionId | null | undefined): Promise<Result<Answer>> {
  const lifted = await runtime.liftHalt(target);
  if (!lifted.ok) return lifted;
  return ok({
    json: { lifted: lifted.value },
    text: () => (lifted.value === 0 ? "no halt stood\n" : "lifted; stopped sessions go on with: writ session resume\n"),
  });
}

async function standing(runtime: Runtime): Promise<Result<Answer>> {
  const halts = await runtime.halts();
  if (!halts.ok) return halts;
  return ok({
    json: { halts: halts.value },
    text: () =>
      halts.value.length === 0
        ? "no halt stands\n"
        : halts.value
            .map(
              ({ session_id, by, reason, halted_at }) =>
                `${session_id ?? "everything"}  ${halted_at}  ${by}: ${reason}\n`,
            )
            .join(""),
  });
}
