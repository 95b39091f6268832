import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { systemClock, systemRandom } from "#core/values";
import { commandLine } from "../../src/main/start.ts";
import { describeCommands } from "../../src/surface/cli/describe-commands.ts";
import { configDefaults } from "../../src/workspace/config/defaults.ts";
import { claudeCodePage } from "./claude-code.ts";
import { commandsPage } from "./commands.ts";
import { configurationPage } from "./configuration.ts";
import { contractsPage } from "./contracts.ts";
import { errorsPage } from "./errors.ts";
import { eventsPage } from "./events.ts";
import { httpPage } from "./http.ts";
import type { Page } from "./markdown.ts";
import { type Schema, text } from "./schema-text.ts";

const root = new URL("../../", import.meta.url);

/** The reference: what is in docs/reference/ must be this. */
export async function referencePages(): Promise<readonly Page[]> {
  const contracts = schemasIn("schemas/");
  const byId = new Map(contracts.map((schema) => [text(schema["$id"]), schema]));
  const frozen = new Set(Object.keys(json("schemas/frozen.json")));
  const silent = { write: () => undefined, isTTY: false, columns: 100 };
  const { global, commands } = await describeCommands(
    {
      stderr: silent,
      env: {},
      cwd: ".",
      clock: systemClock,
      random: systemRandom,
      signal: new AbortController().signal,
      version: "",
    },
    commandLine,
  );
  const config = byId.get("writ_config_v1");
  if (!config) throw new Error("schemas/writ_config_v1.json is missing");
  return [
    await claudeCodePage(),
    commandsPage(global, commands),
    configurationPage(config, byId, { ...configDefaults }),
    contractsPage(contracts, frozen, { enforcers: yaml("enforcers.yaml"), records: yaml("records.yaml") }),
    errorsPage(),
    eventsPage(schemasIn("schemas/events/")),
    httpPage(byId),
  ];
}

function yaml<T>(name: string): T {
  return parse(readFileSync(new URL(`schemas/${name}`, root), "utf8")) as T;
}

function schemasIn(folder: string): readonly Schema[] {
  return readdirSync(new URL(folder, root))
    .filter((file) => file.endsWith(".json") && file !== "frozen.json")
    .toSorted()
    .map((file) => json(`${folder}${file}`));
}

function json(path: string): Schema {
  return JSON.parse(readFileSync(new URL(path, root), "utf8")) as Schema;
}
