import type { EventPayloads, SkillFrontmatterV1 } from "#core/contracts";
import type { Sha256 } from "#core/values";

/** Where a skill was found; the earlier root wins. */
export type SkillOrigin = "workspace" | "agents" | "shipped";

/** A registered skill. The Markdown is the truth; this is what it says. */
export interface Skill {
  /** Its name, which is its folder's. */
  readonly id: string;
  readonly description: string;
  readonly triggers: readonly string[];
  /** Its file names no triggers, because it is written for models that choose by the description. */
  readonly guessesTriggers?: true;
  /** Who may start it, where its file leaves one of them out: a person by `/name`, or the agent by its description. */
  readonly startedOnlyBy?: "person" | "agent";
  /** Globs of tool names: the hard scope. Empty means no tools, unless the skill has no such list. */
  readonly allowedTools: readonly string[];
  /** Command lines that `exec` is limited to, where the list says so. */
  readonly programs?: readonly string[];
  /** Rules of what it takes away, in the words of its file. */
  readonly deniedTools?: readonly string[];
  /** Whether it has a list of tools. One without takes the tools of its order. */
  readonly limitsTools: boolean;
  /** Normalised, as `skill_frontmatter_v1` has it, with whatever else the file says. */
  readonly frontmatter: SkillFrontmatterV1;
  /** The instructions. */
  readonly body: string;
  readonly origin: SkillOrigin;
  /** Relative to the workspace; `writ:…` for a shipped one. */
  readonly path: string;
  readonly hash: Sha256;
  /** What was read differently from how it was written, for `writ skill list`. */
  readonly notes: readonly string[];
}

/** A SKILL.md that was found and not registered, as it goes into the log. */
export type SkippedSkill = EventPayloads["skill.skipped"];

/** A tool that a skill names and that cannot be offered, as it goes into the log. */
export type MissingTool = NonNullable<EventPayloads["skill.invoke"]["missing_tools"]>[number];

export interface SkillSet {
  /** By name. */
  readonly skills: readonly Skill[];
  readonly skipped: readonly SkippedSkill[];
}
