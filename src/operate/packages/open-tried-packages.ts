import { packageRoot } from "#core/machine";
import type { Result } from "#core/values";
import type { LoadTrial, Packages } from "#governance";

type Open = typeof import("../../governance/packages/open-packages.ts").openWorkspacePackages;

/** The packages of a workspace, with every loader that a change is tried with. */
export async function openTriedPackages(options: Omit<Parameters<Open>[0], "trials">): Promise<Result<Packages>> {
  const { openWorkspacePackages } = await import("../../governance/packages/open-packages.ts");
  return openWorkspacePackages({ ...options, trials: [templatesLoad, skillsLoad, workflowsLoad] });
}

const templatesLoad: LoadTrial = async ({ root, files, schemas, frameworks }) => {
  const { templateLoader } = await import("../../agents/context/templates/load-templates.ts");
  const load = templateLoader({ roots: [root, packageRoot], files, schemas });
  const loaded = await Promise.all(frameworks.map(load));
  return loaded.flatMap((each) =>
    each.ok ? [] : [{ part: "attention templates", subject: "frameworks", message: each.error.message }],
  );
};

/** A skill that is not read is skipped at run time, which a user of the package would find out too late. */
const skillsLoad: LoadTrial = async ({ root, files, schemas, clock }) => {
  const { workspaceSkills } = await import("../../agents/skills/workspace-skills.ts");
  const found = await workspaceSkills(root, schemas, clock, files).discover();
  if (!found.ok) return [{ part: "skills", subject: "skills", message: found.error.message }];
  return found.value.skipped
    .filter(({ origin, cause }) => origin === "workspace" && cause !== "duplicate")
    .map(({ path, reason }) => ({ part: "skills", subject: path, message: `${path}: ${reason}` }));
};

const workflowsLoad: LoadTrial = async ({ root, files, schemas }) => {
  const { workspaceWorkflows } = await import("../../workflows/definitions/workspace-workflows.ts");
  const found = await workspaceWorkflows(root, schemas, files).inspect();
  if (!found.ok) return [{ part: "workflows", subject: "workflows", message: found.error.message }];
  return found.value.problems.map(({ file, line, message }) => ({
    part: "workflows",
    subject: file,
    message: `${file}:${line}: ${message}`,
  }));
};
