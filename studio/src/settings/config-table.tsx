import { Columns } from "../ui/columns.tsx";
import { More } from "../ui/more.tsx";
import { visible } from "../ui/visible.ts";

interface Value {
  readonly path: string;
  readonly value: unknown;
  /** `default`, or the file and line that say so. */
  readonly origin: string;
}

/** What `GET /config` answers. */
export interface ShownConfig {
  readonly values: readonly Value[];
}

/** The values that this workspace sets, and where; the defaults are folded away. */
export function ConfigTable({ shown: { values } }: { readonly shown: ShownConfig }) {
  const said = values.filter(({ origin }) => origin !== "default");
  const unsaid = values.filter(({ origin }) => origin === "default");
  return (
    <>
      {said.length === 0 ? (
        <p className="body soft">writ.yaml says nothing of its own: all is as it comes.</p>
      ) : (
        <Values values={said} names={["name", "value", "said in"]} />
      )}
      <div className="body">
        <More id="defaults" summary={`${unsaid.length} that nobody changed`}>
          {() => <Values values={unsaid} names={["name", "value", "from"]} />}
        </More>
      </div>
    </>
  );
}

function Values({ values, names }: { readonly values: readonly Value[]; readonly names: readonly string[] }) {
  return (
    <table className="table top">
      <Columns names={names} />
      <tbody>
        {values.map(({ path, value, origin }) => (
          <tr key={path}>
            <td className="mono">{visible(path)}</td>
            <td className="mono">{visible(typeof value === "string" ? value : JSON.stringify(value))}</td>
            <td className="soft still">{visible(origin)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
