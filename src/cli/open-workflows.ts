import { ok, type Result } from "#base";
import type { SchemaRegistry } from "#schemas";
import type { Workflows } from "#workflows";
import type { Invocation } from "./act.ts";
import { workspaceOf } from "./workspace-of.ts";

/** The workflows of a workspace, read without opening its records. */
export async function openWorkflows(
  invocation: Pick<Invocation<object>, "context" | "root">,
): Promise<Result<{ readonly workflows: Workflows; readonly schemas: SchemaRegistry }>> {
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const { workspaceWorkflows, nodeFiles } = await import("#compose");
  const { loadRegistry } = await import("#schemas");
  const schemas = await loadRegistry({ files: nodeFiles, root: root.value });
  return schemas.ok
    ? ok({ workflows: workspaceWorkflows(root.value, schemas.value), schemas: schemas.value })
    : schemas;
}
