import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the shipped contracts lie: the folder of the package, from `src/` and from `dist/` alike. Without a slash at its end. */
export const packageRoot: string = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[/\\]$/, "");

/** The studio as it was built into the package; absent in a build without it. */
export const studioFolder: string = `${packageRoot}/dist/studio`;

/** The version of this package. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(`${packageRoot}/package.json`, "utf8")) as { readonly version: string }).version;
}
