import { type ModuleProcess, type ModuleSpec, moduleProcess, type Program } from "#core/machine";
import { type Clock, canonicalJson, type Result } from "#core/values";

/** The modules that answer as hooks. Those of several hooks share a process where they are the same with the same rights. */
export interface HookModules {
  processOf(
    module: ModuleSpec,
    program: Program,
    secrets: () => Promise<Result<Readonly<Record<string, string>>>>,
  ): ModuleProcess;
  close(): Promise<void>;
}

const longestAnswer = 1024 * 1024;
/** A hook decides: what needs more memory than this does something else. */
const heapMib = 128;

export function hookModules(clock: Clock): HookModules {
  const processes = new Map<string, ModuleProcess>();
  return {
    processOf(module, program, secrets) {
      const key = canonicalJson({ path: module.path, rights: module.rights, closure: program.closure });
      const known = processes.get(key);
      if (known) return known;
      const made = moduleProcess({ module, program, clock, secrets, longestAnswer, heapMib });
      processes.set(key, made);
      return made;
    },
    async close() {
      await Promise.all([...processes.values()].map((each) => each.close()));
    },
  };
}
