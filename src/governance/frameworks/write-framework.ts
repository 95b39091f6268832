import { dirname, join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { domainError, messageOf } from "#core/errors";
import { createFile, makeFolders, nodeFiles } from "#core/machine";
import { err, ok, type Result } from "#core/values";
import { shippedHome } from "../packages/homes.ts";
import { frameworkFiles } from "./framework-templates.ts";
import { inspectFrameworks } from "./inspect-frameworks.ts";
import { frameworkIdShape } from "./load-framework.ts";

export interface NewFramework {
  readonly framework_id: string;
  /** Files made now, relative to the workspace. */
  readonly created: readonly string[];
  /** Files that were there before and are as they were. */
  readonly kept: readonly string[];
}

/** Writes the files of a framework that are not there yet. Never overwrites; a second time changes nothing. */
export async function writeFramework(
  root: string,
  { framework_id, title }: { readonly framework_id: string; readonly title: string | undefined },
): Promise<Result<NewFramework>> {
  if (!frameworkIdShape.test(framework_id))
    return err(
      domainError("MALFORMED_INPUT", `${JSON.stringify(framework_id)} is no id of a framework`, {
        details: { hint: "capital letters, digits and dashes: writ framework new FMWK-INVOICE" },
      }),
    );
  const shipped = await inspectFrameworks([shippedHome], { files: nodeFiles, schemas: shippedRegistry() });
  if (shipped.some((each) => each.framework_id === framework_id))
    return err(
      domainError("MALFORMED_INPUT", `${framework_id} comes with Writ, and every order under it would be under yours`, {
        details: { hint: "give yours another id: writ framework new FMWK-INVOICE" },
      }),
    );
  const created: string[] = [];
  const kept: string[] = [];
  try {
    for (const { path, text } of frameworkFiles(framework_id, title ?? nameOf(framework_id))) {
      await makeFolders(dirname(join(root, path)));
      ((await createFile(join(root, path), text)) ? created : kept).push(path);
    }
  } catch (thrown) {
    return err(domainError("STORE_UNAVAILABLE", `the framework could not be written: ${messageOf(thrown)}`));
  }
  return ok({ framework_id, created, kept });
}

/** `FMWK-INVOICE-DESK`: Invoice desk. */
function nameOf(framework_id: string): string {
  const words = framework_id.slice("FMWK-".length).toLowerCase().replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
