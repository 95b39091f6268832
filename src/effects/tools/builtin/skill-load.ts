import { err, ok, type Result } from "#core/values";
import type { AgentPorts } from "../agent-ports.ts";
import { refusal, whatIsRefused } from "../permit.ts";
import { type BuiltinSpec, builtin } from "./builtin-spec.ts";

/** Keeps the folder of a skill as a session starts it, so that turns run its scripts as they are now. */
export type KeepSkill = (session_id: string, source: string) => Result<void>;

/** Gives the instructions of a skill that the agent chose by its description. Loaded like this it widens no right. */
export function skillLoad({
  ports: { loadSkill },
  keepSkill = () => ok(undefined),
}: {
  readonly ports: Pick<AgentPorts, "loadSkill">;
  readonly keepSkill?: KeepSkill | undefined;
}): BuiltinSpec<"skill.load"> {
  return builtin({
    name: "skill.load",
    description:
      "Loads a skill of the list by its name: its instructions, and the files beside it. It grants no further tools.",
    annotations: { readOnly: true, idempotent: true, openWorld: false },
    // Written by the author of the workspace: instructions within the order, like every skill, and no more.
    trust: "untrusted",
    acts: () => [],
    invoke: async (args, context) => {
      const loaded = await loadSkill(args.skill);
      if (!loaded.ok) return loaded;
      const { skill, source, origin, hash, body, files } = loaded.value;
      const act = { kind: "load", path: source } as const;
      const decision = origin === "shipped" ? undefined : context.mandate.decide(act);
      if (decision?.allowed === false)
        return err(refusal("CAPABILITY_VIOLATION", `${whatIsRefused(act)}: ${decision.reason}`, decision.clauses));
      const kept = keepSkill(context.session_id, source);
      if (!kept.ok) return kept;
      const recorded = context.recorder.stage({
        type: "skill.loaded",
        actor: context.role,
        payload: { key: context.idempotency_key, skill, source, origin, hash },
      });
      return recorded.ok ? ok({ skill, hash, body, files: [...files] }) : recorded;
    },
  });
}
