import { useGet } from "../api/use-get.ts";
import { Copy } from "../ui/copy.tsx";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";

interface Policies {
  readonly policies: readonly {
    readonly id: string;
    readonly kind?: string;
    readonly shadow?: boolean;
    readonly file?: string;
    readonly title?: string;
  }[];
  readonly hooks: readonly {
    readonly id: string;
    readonly point: string;
    readonly matcher?: string;
    readonly kind: string;
    readonly source: string;
    readonly hash: string;
  }[];
}

export function PoliciesPage() {
  const { answer, again } = useGet<Policies>("/policies");
  if (answer.state === "loading")
    return (
      <div className="page">
        <Loading what="policies" />
      </div>
    );
  if (answer.state === "failed")
    return (
      <div className="page">
        <Trouble problem={answer.problem} retry={again} />
      </div>
    );
  const { policies, hooks } = answer.value;
  return (
    <div className="page">
      <header>
        <h1>Policies</h1>
      </header>
      <section className="panel">
        <div className="title">
          <h2>Policies of cycles</h2>
        </div>
        {policies.length === 0 && (
          <Empty title="No policy yet" command="workflows/policies/severity.md">
            A policy is Markdown with an expression. Write one:
          </Empty>
        )}
        {policies.length > 0 && (
          <table className="table">
            <thead>
              <tr>
                <th>policy</th>
                <th>kind</th>
                <th>mode</th>
                <th>from</th>
              </tr>
            </thead>
            <tbody>
              {policies.map((policy) => (
                <tr key={policy.id}>
                  <td>
                    <strong>{policy.id}</strong> <span className="soft">{policy.title}</span>
                  </td>
                  <td>{policy.kind}</td>
                  <td>{policy.shadow ? "shadow" : "enforced"}</td>
                  <td className="soft">{policy.file}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <div className="body soft">
          What would a changed policy have decided over the recorded past? <code>writ policy backtest FILE</code>{" "}
          answers without calling anything.
        </div>
      </section>
      <section className="panel">
        <div className="title">
          <h2>Hooks</h2>
        </div>
        <table className="table">
          <thead>
            <tr>
              <th>point</th>
              <th>hook</th>
              <th>matches</th>
              <th>kind</th>
              <th>from</th>
              <th>hash</th>
            </tr>
          </thead>
          <tbody>
            {hooks.map((hook) => (
              <tr key={`${hook.point} ${hook.id}`}>
                <td>{hook.point}</td>
                <td>
                  <strong>{hook.id}</strong>
                </td>
                <td className="mono">{hook.matcher ?? "*"}</td>
                <td>{hook.kind}</td>
                <td className="soft clip">{hook.source}</td>
                <td>
                  <Copy value={hook.hash} shown={hook.hash.slice(0, 10)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
