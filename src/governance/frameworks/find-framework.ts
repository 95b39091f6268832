import { join } from "node:path";
import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
import { err, ok, type Result, suggest } from "#core/values";
import { shippedHome, workspaceHome } from "../packages/homes.ts";
import { type InspectedFramework, inspectFrameworks } from "./inspect-frameworks.ts";

interface FoundFramework extends InspectedFramework {
  /** The folder that its path starts from. */
  readonly root: string;
}

/** A framework of a workspace, or one that Writ ships. */
export async function findFramework(
  root: string,
  framework_id: string,
  schemas: SchemaRegistry,
): Promise<Result<FoundFramework>> {
  const homes = [workspaceHome(root), shippedHome];
  const found = namedFramework(await inspectFrameworks(homes, { files: nodeFiles, schemas }), framework_id);
  if (!found.ok) return found;
  const home = homes.find(({ name }) => name === found.value.from);
  return ok({ ...found.value, root: home?.root ?? root });
}

export function namedFramework(all: readonly InspectedFramework[], framework_id: string): Result<InspectedFramework> {
  const found = all.find((each) => each.framework_id === framework_id);
  if (found) return ok(found);
  const ids = all.map((each) => each.framework_id);
  const near = suggest(framework_id, ids);
  return err(
    domainError("FRAMEWORK_NOT_FOUND", `no registry names the framework ${framework_id}; there are ${ids.join(", ")}`, {
      details: { hint: near === undefined ? `writ framework new ${framework_id}` : `did you mean ${near}?` },
    }),
  );
}

export function manifestTextOf({ root, path }: FoundFramework): Promise<Result<string>> {
  return nodeFiles.readText(join(root, path, "manifest.yaml"));
}
