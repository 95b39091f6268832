import type { Command } from "commander";
import { ok, type Result } from "#base";
import type { CheckedPart, DoctorSurroundings } from "#compose";
import { type Answer, act, type Invocation } from "../act.ts";
import type { CliContext } from "../context.ts";
import { fold } from "../output/fold.ts";
import type { Screen } from "../output/screen.ts";
import { withRuntime } from "../with-runtime.ts";
import { workspaceOf } from "../workspace-of.ts";

interface DoctorOptions {
  readonly provider?: string;
  readonly call?: boolean;
}

export function register(program: Command, context: CliContext): void {
  program
    .command("doctor")
    .description("what works on this machine, what does not, and how to mend it")
    .option("--provider <name>", "look into one profile: its key, its address, its model names")
    .option("--call", "with --provider: also make one tiny request, which costs a few tokens")
    .addHelpText(
      "after",
      "\nExamples:\n  $ writ doctor\n  $ writ doctor --provider claude\n  $ writ doctor --json | jq '.parts[] | select(.health != \"works\")'\n",
    )
    .action(
      act<DoctorOptions>(context, async (invocation) => {
        const root = await workspaceOf(invocation);
        // Without a workspace the machine can still be looked at; a folder that was named must be one.
        if (!root.ok && (invocation.root !== undefined || root.error.code !== "WORKSPACE_NOT_FOUND")) return root;
        const { checkUp, doctorChecks, nodeFiles, nodeProcesses } = await import("#compose");
        const { env, clock, signal } = context;
        const surroundings = { env, clock, signal, files: nodeFiles, processes: nodeProcesses(clock) };
        const { provider } = invocation.options;
        if (provider === undefined)
          return report(await checkUp(doctorChecks, { ...surroundings, root: root.ok ? root.value : undefined }));
        return root.ok ? lookInto(invocation, provider, { ...surroundings, root: root.value }) : root;
      }),
    );
}

/** One profile; and, when asked, one request through it. */
async function lookInto(
  invocation: Invocation<DoctorOptions>,
  provider: string,
  surroundings: DoctorSurroundings & { readonly root: string },
): Promise<Result<Answer>> {
  const { checkProvider, tryProvider } = await import("#compose");
  const looked = await checkProvider(provider, surroundings);
  if (!looked.ok) return looked;
  const { profile, parts } = looked.value;
  if (!invocation.options.call || parts.some(({ health }) => health === "broken")) return report(parts);
  return withRuntime(invocation, async (runtime) =>
    report([...parts, await tryProvider(runtime, profile, surroundings.signal)]),
  );
}

function report(parts: readonly CheckedPart[]): Result<Answer> {
  const healthy = parts.every(({ health }) => health !== "broken");
  return ok({ json: { ok: healthy, parts }, text: (screen) => describe(parts, screen), exit: healthy ? 0 : 1 });
}

function describe(parts: readonly CheckedPart[], screen: Screen): string {
  const { ok: fine, warn, bad } = screen.sign;
  const signWidth = Math.max(fine.length, warn.length, bad.length) + 1;
  const padded = (sign: string) => sign.padEnd(signWidth); // before it is painted: a colour is characters too
  const signs = {
    works: screen.green(padded(fine)),
    limited: screen.yellow(padded(warn)),
    broken: screen.red(padded(bad)),
  };
  const width = Math.max(...parts.map(({ title }) => title.length)) + 2;
  const indent = " ".repeat(2 + signWidth + width);
  const lines = parts.flatMap(({ health, title, found, why, mend }) => [
    fold(screen, `  ${signs[health]}${title.padEnd(width)}${found}`, indent.length),
    ...(why ? [fold(screen, `${indent}${screen.dim(why)}`, indent.length)] : []),
    ...(mend ? [`${indent}mend: ${screen.cyan(mend)}`] : []), // a command to copy: left whole
  ]);
  const count = (health: CheckedPart["health"]) => parts.filter((part) => part.health === health).length;
  const broken = count("broken");
  const end = broken > 0 ? screen.red(`${broken} broken`) : screen.green("nothing broken");
  return `${lines.join("\n")}\n\n${count("works")} work, ${count("limited")} limited, ${end}\n`;
}
