// Whether everything that a contract limits, declares or promises has a source file that holds it: schemas/enforcers.yaml.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** The lines of schemas/enforcers.yaml, by contract. */
export function readEnforcers(folder) {
  return parse(readFileSync(join(folder, "enforcers.yaml"), "utf8"));
}

/** The ids of schemas/records.yaml: contracts of which no property limits an act by itself. */
export function readRecords(folder) {
  return Object.values(parse(readFileSync(join(folder, "records.yaml"), "utf8"))).flatMap(({ contracts }) => contracts);
}

/** What is wrong with the two lists together, in words: a contract that is in neither or in both, a line for none. */
export function unlistedContracts(contracts, enforcers, records) {
  const known = new Set(contracts.map(({ id }) => id));
  const enforced = new Set(Object.keys(enforcers).flatMap((id) => [id, id.replace(/_v2$/, "_v1")]));
  const listed = new Set(records);
  return [
    ...contracts
      .filter(({ id, isEvent }) => !isEvent && !enforced.has(id) && !listed.has(id))
      .map(
        ({ id }) =>
          `schemas/${id}.json: nothing says who holds it; name its enforcers in schemas/enforcers.yaml, or say in schemas/records.yaml why it limits nothing`,
      ),
    ...records.filter((id) => enforced.has(id)).map((id) => `schemas/records.yaml: ${id} is in enforcers.yaml too`),
    ...records.filter((id) => !known.has(id)).map((id) => `schemas/records.yaml: there is no contract ${id}`),
  ];
}

/** What is wrong with them, in words: a promise that no file keeps, a line for none, a file that does not name its own. */
export function brokenPromises(contracts, enforcers, sources) {
  const problems = [];
  const byId = new Map(contracts.map((contract) => [contract.id, contract.schema]));
  for (const [id, lines] of Object.entries(enforcers)) {
    const schema = byId.get(id);
    if (!schema) {
      problems.push(`schemas/enforcers.yaml: there is no contract ${id}`);
      continue;
    }
    const promised = propertiesOf(schema);
    const earlier = byId.get(id.replace(/_v2$/, "_v1")) ?? {};
    for (const path of new Set([...promised, ...propertiesOf(earlier)]))
      if (!Object.hasOwn(lines, path))
        problems.push(
          `schemas/${id}.json: $.${path} is enforced by no source file; say by which in schemas/enforcers.yaml, or that it only describes`,
        );
    for (const [path, file] of Object.entries(lines)) {
      if (!promised.includes(path)) problems.push(`schemas/enforcers.yaml: ${id} has no property ${path}`);
      else if (file !== "describes" && !names(join(sources, file), path))
        problems.push(
          `schemas/enforcers.yaml: ${id} $.${path} is said to be enforced by src/${file}, which is not there or does not name it`,
        );
    }
  }
  return problems;
}

/** Paths of everything that holds a value: `scope.allowed_files`, `tool_permissions[].max_calls`, `profiles.*.model`. */
export function propertiesOf(schema, prefix = "", root = schema) {
  const own = (part) => root.$defs?.[/^#\/\$defs\/(.+)$/.exec(part?.$ref ?? "")?.[1]] ?? part;
  if (schema.type === "array" && prefix === "") return propertiesOf(own(schema.items), "[].", root);
  if (schema.properties === undefined && Array.isArray(schema.oneOf))
    return [...new Set(schema.oneOf.flatMap((variant) => propertiesOf(own(variant), prefix, root)))];
  return Object.entries(schema.properties ?? {}).flatMap(([name, written]) => {
    const path = `${prefix}${name}`;
    const property = own(written);
    const [item, value] = [own(property.items), own(property.additionalProperties)];
    const within = [
      ...(property.properties ? propertiesOf(property, `${path}.`, root) : []),
      ...(item?.properties ? propertiesOf(item, `${path}[].`, root) : []),
      ...(value?.properties ? propertiesOf(value, `${path}.*.`, root) : []),
    ];
    return within.length > 0 ? within : [path];
  });
}

function names(file, path) {
  if (!existsSync(file)) return false;
  const name = path.split(".").at(-1).replace("[]", "");
  const camel = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const text = readFileSync(file, "utf8");
  return [name, camel].some((word) => new RegExp(`\\b${word}\\b`).test(text));
}
