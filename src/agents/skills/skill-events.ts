import type { EventInput } from "#log";
import type { SkillMatch } from "./match-skill.ts";
import type { MissingTool, Skill, SkippedSkill } from "./skill.ts";

/** A skill takes over: recorded before anything runs under it. */
export function skillInvoked(
  skill: Skill,
  match: SkillMatch,
  missing: readonly MissingTool[],
): EventInput<"skill.invoke"> {
  const { version } = skill.frontmatter;
  return {
    type: "skill.invoke",
    actor: "skills",
    payload: {
      skill: skill.id,
      source: skill.path,
      origin: skill.origin,
      hash: skill.hash,
      ...(version === undefined ? {} : { version }),
      selected_by: match.selectedBy === "name" ? "name" : "trigger",
      reason: match.reason,
      triggers: [...match.triggers],
      allowed_tools: [...skill.allowedTools],
      ...(missing.length === 0 ? {} : { missing_tools: [...missing] }),
    },
  };
}

export function skillCompleted(
  skill: Skill,
  end: { readonly ok: boolean; readonly reason?: string },
): EventInput<"skill.complete"> {
  return {
    type: "skill.complete",
    actor: "skills",
    payload: { skill: skill.id, ok: end.ok, ...(end.reason === undefined ? {} : { reason: end.reason }) },
  };
}

export function skillSkipped(skipped: SkippedSkill): EventInput<"skill.skipped"> {
  return { type: "skill.skipped", actor: "skills", payload: skipped };
}
