import { isJsonObject } from "#core/values";
import { code, type Page, page, table } from "./markdown.ts";
import { properties, type Schema, text, typeText } from "./schema-text.ts";

/** Every key of writ.yaml, with the default that holds when it is left out. */
export function configurationPage(schema: Schema, others: ReadonlyMap<string, Schema>, defaults: Schema): Page {
  const rows = rowsOf(schema, others, defaults, "");
  return page("configuration.md", "writ.yaml", [
    text(schema["description"]),
    "`WRIT_PROFILE` and `WRIT_STORE` in the environment come before the file; `WRIT_TRUST` vouches for a workspace from elsewhere (`writ trust --help`). An unknown key is an error that names its line and the key that was probably meant.",
    table(["key", "takes", "default", "meaning"], rows),
  ]);
}

function rowsOf(
  schema: Schema,
  others: ReadonlyMap<string, Schema>,
  defaults: unknown,
  prefix: string,
): readonly (readonly string[])[] {
  return properties(schema).flatMap(([name, each]) => {
    const path = `${prefix}${name}`;
    const referred = others.get(text(each["$ref"])) ?? each;
    const value = isJsonObject(defaults) ? defaults[name] : undefined;
    const inner = rowsOf(referred, others, value, `${path}.`);
    const named = isJsonObject(referred["additionalProperties"]) ? referred["additionalProperties"] : undefined;
    const innerNamed = named ? rowsOf(named, others, undefined, `${path}.NAME.`) : [];
    const isGroup = inner.length > 0 || innerNamed.length > 0;
    const shown = value === undefined || isGroup ? "" : code(JSON.stringify(value));
    const meaning = text(each["description"]) || text(referred["description"]) || text(referred["title"]);
    return [[code(path), isGroup ? "" : typeText(each), shown, meaning], ...inner, ...innerNamed];
  });
}
