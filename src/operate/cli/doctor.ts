import type { tryProvider } from "#agents";
import type { Answer } from "#core/commands";
import { type Command, flag, type Opens, text } from "#core/commands";
import type { CheckedPart, DoctorCheck } from "#core/shapes";
import type { Screen } from "#core/terminal";
import { fold } from "#core/terminal";
import { ok, type Result } from "#core/values";

interface DoctorParts {
  readonly workspace: Opens<{ readonly root: string }>;
  /** Without a workspace the machine can still be looked at; a folder that was named must be one. */
  readonly "check-up": Opens<{ readonly root: string | undefined; readonly checks: readonly DoctorCheck[] }>;
  readonly runtime: Opens<Parameters<typeof tryProvider>[0]>;
}

interface DoctorOptions {
  readonly provider?: string;
  readonly call?: boolean;
}

export const doctor: Command<"choice", DoctorParts, DoctorOptions> = {
  name: "doctor",
  summary: "what works on this machine, what does not, and how to mend it",
  needs: "choice",
  json: "ok, and parts with id, title, health, found, why and mend",
  arguments: [],
  options: {
    provider: text("name", "look into one profile: its key, its address, its model names"),
    call: flag("with --provider: also make one tiny request, which costs a few tokens"),
  },
  examples: [
    "writ doctor",
    "writ doctor --provider claude",
    "writ doctor --json | jq '.parts[] | select(.health != \"works\")'",
  ],
  exits: { 1: "a part is broken" },
  run: async (opens, { options: { provider, call = false }, context }) => {
    const { checkProvider } = await import("../../agents/models/provider-lazily.ts");
    const { checkUp } = await import("../../core/shapes/check-up.ts");
    const { nodeFiles } = await import("../../core/machine/node-files.ts");
    const { nodeProcesses } = await import("../../core/machine/node-processes.ts");
    const { tryProvider } = await import("../../agents/models/try-provider.ts");
    const { withPrograms } = await import("../../effects/programs/with-programs.ts");
    const { noticedKeys } = await import("../../workspace/secrets/noticed-keys.ts");
    const { env, clock, signal } = context;
    const surroundings = { env, clock, signal, files: nodeFiles, processes: nodeProcesses(clock) };
    if (provider === undefined)
      return opens["check-up"](({ root, checks }) =>
        withPrograms({ ...context, root }, async (programs) => {
          const { loadConfig, selectProfile } = await import("#workspace");
          const parts = await checkUp(checks, { ...surroundings, root, programs });
          const config = root === undefined ? undefined : await loadConfig(root, nodeFiles, env);
          const inUse = config?.ok ? selectProfile(config.value) : undefined;
          return report(parts, noticedKeys(env, inUse?.ok ? inUse.value.provider : undefined));
        }),
      );
    return opens.workspace(async ({ root }) => {
      const looked = await withPrograms({ ...context, root }, (programs) =>
        checkProvider(provider, { ...surroundings, root, programs }),
      );
      if (!looked.ok) return looked;
      const { profile, parts } = looked.value;
      if (!call || parts.some(({ health }) => health === "broken")) return report(parts);
      return opens.runtime(async (runtime) => report([...parts, await tryProvider(runtime, profile, signal)]));
    });
  },
};

/** Keys that stand in the environment are worth a line below the parts: they are no part, because nothing uses them unasked. */
function report(parts: readonly CheckedPart[], notices: readonly string[] = []): Result<Answer> {
  const healthy = parts.every(({ health }) => health !== "broken");
  const below = notices.map((notice) => `${notice}\n`).join("");
  return ok({ json: { ok: healthy, parts }, text: (screen) => describe(parts, screen) + below, exit: healthy ? 0 : 1 });
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
