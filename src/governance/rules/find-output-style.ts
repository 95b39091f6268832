import { basename, join } from "node:path";
import { parseFrontmatter } from "#core/contracts";
import { isJsonObject, parseJson, sha256 } from "#core/values";
import { outerFolders, type SettingsPlace, settingsFiles } from "../claude/settings/settings-files.ts";
import type { RuleFile } from "./find-rules.ts";

const mostBytes = 64 * 1024;

/** The style that the settings choose by `outputStyle`: a file of the workspace or a plugin of it, of the person, or of the organization. */
export async function findOutputStyle(place: SettingsPlace): Promise<RuleFile | undefined> {
  const chosen = await chosenStyle(place);
  if (chosen === undefined) return undefined;
  for (const { folder, shown, of } of await styleFolders(place)) {
    const listed = await place.files.list(folder);
    for (const { name, type } of listed.ok ? listed.value : []) {
      if (type !== "file" || !name.endsWith(".md")) continue;
      const text = await place.files.readText(join(folder, name), { maxBytes: mostBytes });
      if (!text.ok || nameOf(name, text.value) !== chosen) continue;
      const style = { path: `${shown}/${name}`, text: text.value, sha256: sha256(text.value), style: chosen };
      return of === undefined ? style : { ...style, of };
    }
  }
  return undefined;
}

/** The name that counts: that of the file with the highest precedence which has one. A file that cannot be read is refused elsewhere. */
async function chosenStyle(place: SettingsPlace): Promise<string | undefined> {
  for (const { path } of await settingsFiles(place)) {
    const text = await place.files.readText(path, { maxBytes: 1024 * 1024 });
    const parsed = text.ok ? parseJson(text.value) : undefined;
    const value = parsed?.ok && isJsonObject(parsed.value) ? parsed.value["outputStyle"] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

interface StyleFolder {
  readonly folder: string;
  readonly shown: string;
  readonly of?: "person" | "organization";
}

async function styleFolders(place: SettingsPlace): Promise<readonly StyleFolder[]> {
  const { root, env, files } = place;
  const { managed, home } = outerFolders(place);
  const own = (shown: string): StyleFolder => ({ folder: join(root, shown), shown });
  const listed = await files.list(join(root, ".claude/plugins"));
  const plugins = listed.ok ? listed.value.filter(({ type }) => type === "folder") : [];
  const shown = home === join(env["HOME"] ?? "", ".claude") ? "~/.claude" : (home ?? "");
  return [
    own(".claude/output-styles"),
    ...plugins.map(({ name }) => own(`.claude/plugins/${name}/output-styles`)),
    ...(home === undefined
      ? []
      : [{ folder: join(home, "output-styles"), shown: `${shown}/output-styles`, of: "person" as const }]),
    ...(managed === undefined
      ? []
      : [
          {
            folder: join(managed, ".claude/output-styles"),
            shown: join(managed, ".claude/output-styles"),
            of: "organization" as const,
          },
        ]),
  ];
}

function nameOf(file: string, text: string): string {
  const parsed = parseFrontmatter(text, { repairs: true });
  const named = parsed.ok ? parsed.value.data["name"] : undefined;
  return typeof named === "string" && named.trim() !== "" ? named.trim() : basename(file, ".md");
}
