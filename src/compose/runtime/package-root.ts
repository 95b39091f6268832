import { fileURLToPath } from "node:url";

/** Where the shipped contracts lie: the folder of the package, from `src/` and from `dist/` alike. Without a slash at its end. */
export const packageRoot: string = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[/\\]$/, "");
