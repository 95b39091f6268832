import { domainError } from "#core/errors";
import { err, type Files, ok, type Result } from "#core/values";
import type { Skills } from "./discover-skills.ts";
import { folderOfSkill } from "./folder-of-skill.ts";
import { mayBeChosen, selectSkill } from "./match-skill.ts";
import { skillFiles } from "./skill-files.ts";

/** A skill with its instructions and what lies beside it. */
export interface LoadedSkill {
  readonly skill: string;
  readonly source: string;
  readonly origin: string;
  readonly hash: string;
  readonly body: string;
  readonly files: readonly string[];
}

/** A skill of the workspace by its name, for the tool that loads one. */
export function skillLoader(
  skills: Skills,
  files: Files,
  root: string,
): (name: string) => Promise<Result<LoadedSkill>> {
  return async (name) => {
    const discovered = await skills.discover();
    if (!discovered.ok) return discovered;
    const found = selectSkill(name, discovered.value.skills);
    if (!found.ok) return found;
    const skill = found.value.selected;
    if (!mayBeChosen(skill))
      return err(
        domainError("GATE_DENIED", `only a person starts the skill ${name}, with a request that begins with /${name}`),
      );
    const beside = await skillFiles(files, folderOfSkill(root, skill), skill);
    if (!beside.ok) return beside;
    const { id, path, origin, hash, body } = skill;
    return ok({ skill: id, source: path, origin, hash, body, files: beside.value });
  };
}
