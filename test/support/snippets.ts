import { readFileSync } from "node:fs";
import { repository } from "./writ.ts";

/** The code blocks of a guide that name a file: ```lang file=path */
export function snippetsOf(guide: string): Readonly<Record<string, string>> {
  const text = readFileSync(`${repository}docs/guides/${guide}`, "utf8");
  const blocks = [...text.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)];
  return Object.fromEntries(blocks.map(([, file = "", code = ""]) => [file, code]));
}

/** What a console block of a guide says to type, and what it shows. */
export function consoleOf(guide: string): readonly { readonly command: string; readonly output: string }[] {
  const text = readFileSync(`${repository}docs/guides/${guide}`, "utf8");
  return [...text.matchAll(/^```console\n\$ (.+)\n([\s\S]*?)^```$/gm)].map(([, command = "", output = ""]) => ({
    command,
    output,
  }));
}
