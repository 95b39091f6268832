import { type DoctorCheck, doctorCheck } from "#core/shapes";
import { programAnswer } from "#effects";

export const checkGit: DoctorCheck = doctorCheck({
  id: "git",
  title: "git",
  run: async (surroundings) => {
    const version = await programAnswer(surroundings, ["git", "--version"]);
    return version === undefined
      ? {
          health: "limited",
          found: "not installed",
          why: "changes to a workspace cannot be compared with its history",
          cause: "missing",
        }
      : { health: "works", found: version.replace(/^git version /, "version ") };
  },
  remedy: () => "apt-get install git",
});
