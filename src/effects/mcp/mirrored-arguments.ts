import { isJsonObject, type JsonValue } from "#core/values";

/** A token of RFC 9110: what a name of a header may consist of. */
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const mirroredTypes = new Set<unknown>(["string", "integer", "boolean"]);
const mirrorField = "x-mcp-header";

/**
 * Why a tool cannot be called over HTTP: it wants arguments sent as headers too (`x-mcp-header`), and says so in a way that
 * the protocol forbids. Undefined where all is well.
 */
export function mirrorFault(inputSchema: JsonValue): string | undefined {
  const names = new Set<string>();
  const visit = (node: JsonValue | undefined, isReachable: boolean): string | undefined => {
    if (Array.isArray(node)) {
      for (const each of node) {
        const fault = visit(each, false);
        if (fault !== undefined) return fault;
      }
      return undefined;
    }
    if (!isJsonObject(node)) return undefined;
    const name = node[mirrorField];
    if (name !== undefined) {
      if (!isReachable) return "asks for a header for what is no property";
      if (typeof name !== "string" || !headerName.test(name)) return `asks for a header ${JSON.stringify(name)}`;
      if (!mirroredTypes.has(node["type"]))
        return `asks for the header ${name} for what is no text, integer or boolean`;
      if (names.has(name.toLowerCase())) return `asks for the header ${name} twice`;
      names.add(name.toLowerCase());
    }
    for (const [key, below] of Object.entries(node)) {
      if (key === "properties" && isJsonObject(below)) {
        for (const property of Object.values(below)) {
          const fault = visit(property, isReachable);
          if (fault !== undefined) return fault;
        }
      } else if (key !== mirrorField && key !== "default" && key !== "const" && key !== "enum" && key !== "examples") {
        const fault = visit(below, false);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  };
  // The schema itself is no property, and everything below its properties is one.
  return isJsonObject(inputSchema) && inputSchema[mirrorField] !== undefined
    ? "asks for a header for all arguments at once"
    : visit(inputSchema, true);
}
