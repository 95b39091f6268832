import { Columns } from "../ui/columns.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { count } from "../ui/numbers.ts";
import { visible } from "../ui/visible.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Shown in parts of their own. */
const apart: ReadonlySet<string> = new Set(["judged", "sealed"]);

/** The bytes in readable form, one field a line. The page shows the exact bytes, which the decision is about, below it. */
export function Readable({ shown, without = [] }: { readonly shown: string; readonly without?: readonly string[] }) {
  const fields = objectIn(shown);
  if (!fields) return null;
  const args = objectIn(JSON.stringify(fields["args"])) ?? {};
  // The arguments come first; ids are left to the bytes.
  const { args: _args, tool, ...rest } = fields;
  const named = Object.entries({ ...(tool === undefined ? {} : { tool }), ...args, ...rest });
  const wanted = named.filter(
    ([name, value]) =>
      !/(?:_id|_hash)$/.test(name) &&
      value !== "" &&
      !apart.has(name) &&
      !isActs(name, value) &&
      !without.includes(name),
  );
  return (
    <Facts className="readable">
      {wanted.map(([name, value]) => (
        <Fact key={name} name={visible(name.replaceAll("_", " "))}>
          {isList(value) ? <Table rows={value} /> : inWords(value) || <span className="faint">empty</span>}
        </Fact>
      ))}
    </Facts>
  );
}

function isList(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "object" && one !== null);
}

/** A list of objects as a table. Hashes are left to the bytes: no reader compares them here. */
function Table({ rows }: { readonly rows: readonly Fields[] }) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((name) => !rows.some((row) => isHash(row[name])))
    // The path says most, so it comes first.
    .sort((a, b) => Number(b === "path") - Number(a === "path"));
  return (
    <table className="table">
      <Columns names={names.map((name) => (rows.every((row) => typeof row[name] === "number") ? `#${name}` : name))} />
      <tbody>
        {rows.map((row) => (
          <tr key={JSON.stringify(row)}>
            {names.map((name) => (
              <td key={name} className={typeof row[name] === "number" ? "number" : ""}>
                {name === "mode" ? Number(row[name]).toString(8) : inWords(row[name])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function inWords(value: unknown): string {
  if (typeof value === "string") return visible(value);
  if (typeof value === "number") return count(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(inWords).join("\n");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .filter(([, inner]) => !isHash(inner))
    .map(([name, inner]) => `${visible(name)} ${inWords(inner)}`)
    .join(", ");
}

function objectIn(text: string | undefined): Fields | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null; // not everything that waits is JSON: the bytes are shown anyway
  }
}

/** Acts with their arguments have a part of their own; those that were refused have none. */
function isActs(name: string, value: unknown): boolean {
  return name === "acts" && isList(value) && value.every((act) => objectIn(JSON.stringify(act["args"])) !== null);
}
