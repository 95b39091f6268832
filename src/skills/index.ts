/** L5. Finds the skills that people wrote as Markdown, says which one a prompt means and which tools it may use. Runs nothing. */
export { createSkills, type SkillRoot, type Skills, type SkillsOptions, skillRoots } from "./discover-skills.ts";
export { exportSkill } from "./export-skill.ts";
export { matchSkill, type SkillCandidate, type SkillMatch, selectSkill } from "./match-skill.ts";
export { normalizeFrontmatter } from "./normalize-frontmatter.ts";
export type { MissingTool, Skill, SkillOrigin, SkillSet, SkippedSkill } from "./skill.ts";
export { skillCompleted, skillInvoked, skillSkipped } from "./skill-events.ts";
