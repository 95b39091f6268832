import { join } from "node:path";
import { parseYaml } from "#core/contracts";
import { type DoctorCheck, type DoctorSurroundings, doctorCheck } from "#core/shapes";
import { isJsonObject, type JsonObject } from "#core/values";
import { nameMatcher } from "#governance/mandate";
import { unsaidRights, type ValueRights } from "#governance/values";
import { loadConfig, storePlace, withoutSecrets } from "#workspace";
import { declaredValues } from "../mcp/declared-values.ts";
import { pinOf } from "../mcp/pin-of.ts";

/** What a framework judges values by, and the tools that its orders may use. */
interface Judged {
  readonly framework_id: string;
  readonly rights: ValueRights;
  readonly isIts: (tool: string) => boolean;
}

/** Whose rows a file holds: it has one tenant. */
const tenant = "local";

const noun = (count: number) => (count === 1 ? "argument" : "arguments");

/** Arguments of approved acting tools that no person declared: whatever is guessed asks more often than it would have to. */
export const checkValues: DoctorCheck = doctorCheck<string | null>({
  id: "values.undeclared",
  title: "Rights over values",
  async run(surroundings) {
    const { root } = surroundings;
    if (root === undefined) return { health: "works", found: "no workspace, so nothing is judged" };
    const judged = await judgedFrameworks(root, surroundings);
    if (judged.length === 0) return { health: "works", found: "no framework of the workspace judges values" };
    const tools = await approvedTools(root, surroundings);
    if (tools === undefined)
      return {
        health: "works",
        found: "the approved tools are not in a file of this machine: `writ tool sinks` counts",
      };
    const { withApproved } = await import("../../governance/values/merge-declarations.ts");
    const { describeSinks } = await import("../../governance/values/describe-sinks.ts");
    const counts = judged.map(({ framework_id, rights, isIts }) => {
      const its = tools.filter(({ name }) => isIts(name));
      const approved = Object.fromEntries(its.flatMap(({ name, declared }) => (declared ? [[name, declared]] : [])));
      const sinks = describeSinks(its, withApproved(rights, approved));
      const guessed = sinks.flatMap((each) => each.arguments).filter(({ by }) => by === "guessed").length;
      return { framework_id, guessed };
    });
    const open = counts.filter(({ guessed }) => guessed > 0);
    if (open.length === 0)
      return { health: "works", found: "every argument of an approved tool that acts is declared" };
    return {
      health: "limited",
      found: open.map(({ framework_id, guessed }) => `${framework_id}: ${guessed} ${noun(guessed)} guessed`).join("; "),
      why: "what is only guessed is asked about more often than it would have to be",
      cause: open[0]?.framework_id ?? null,
    };
  },
  remedy: (framework) => (framework === null ? null : `writ tool sinks --framework ${framework}`),
});

/**
 * Frameworks of the workspace whose manifests can be read; a manifest that is wrong is refused where it is used. In a workspace
 * without one it is the framework that ships.
 */
async function judgedFrameworks(root: string, { files }: DoctorSurroundings): Promise<readonly Judged[]> {
  const listed = await files.list(join(root, "frameworks"));
  const found: Judged[] = [];
  let isAny = false;
  for (const { name, type } of listed.ok ? listed.value : []) {
    const text = type === "folder" ? await files.readText(join(root, "frameworks", name, "manifest.yaml")) : undefined;
    const parsed = text?.ok ? parseYaml(text.value) : undefined;
    if (!parsed?.ok || !isJsonObject(parsed.value)) continue;
    const { framework_id, values, tools } = parsed.value;
    isAny = true;
    if (typeof framework_id !== "string" || (isJsonObject(values) && values["pack"] === "off")) continue;
    const matchers = Array.isArray(tools) ? tools.map((each) => nameMatcher(String(each))) : undefined;
    const isIts = (tool: string) => matchers === undefined || matchers.some((matches) => matches(tool));
    found.push({
      framework_id,
      rights: isJsonObject(values) ? (values as unknown as ValueRights) : unsaidRights,
      isIts,
    });
  }
  return isAny ? found : [{ framework_id: "FMWK-005", rights: unsaidRights, isIts: () => true }];
}

/** The tools of servers that were approved; undefined where they are kept in a database of many machines. */
async function approvedTools(root: string, { env, files }: DoctorSurroundings) {
  const config = await loadConfig(root, files, env);
  if (!config.ok || !config.value.store.startsWith("sqlite:")) return undefined;
  const place = await storePlace(config.value.store, root, withoutSecrets);
  if (!place.ok || place.value.kind !== "sqlite") return undefined;
  const { openSqlite } = await import("../../core/database/sqlite/connection.ts"); // loads the native module
  const opened = openSqlite(place.value.file, { readonly: true });
  if (!opened.ok) return [];
  try {
    const { sqliteToolPins } = await import("../mcp/store/sqlite.ts");
    const stored = await sqliteToolPins(opened.value, tenant).toolPins();
    return stored.ok ? stored.value.flatMap(pinOf).map(({ name, definition }) => describedTool(name, definition)) : [];
  } catch {
    return []; // a store that is damaged or older than its table is what the check of the database names
  } finally {
    opened.value.close();
  }
}

function describedTool(name: string, definition: JsonObject) {
  const { inputSchema, annotations } = definition;
  const readOnly = isJsonObject(annotations) && annotations["readOnlyHint"] === true;
  return {
    name,
    annotations: { readOnly },
    schema_in: isJsonObject(inputSchema) ? inputSchema : {},
    declared: declaredValues(definition),
  };
}
