import { fileURLToPath } from "node:url";

/** A folder of what Writ ships beside its code; the same distance from the sources and from the build. */
export function shippedFolder(name: "agents" | "frameworks" | "hooks" | "skills" | "workflows"): string {
  return fileURLToPath(new URL(`../../../${name}`, import.meta.url));
}
