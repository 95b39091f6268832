import { useGet } from "../api/use-get.ts";
import { count } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";

interface RightUse {
  readonly right: string;
  readonly path: string;
  readonly pattern: string;
  readonly used: number | null;
  readonly examples: readonly string[];
}

/** What the order grants, the never used first: what its author can take away next time. */
export function UnusedRights({ session_id, events }: { readonly session_id: string; readonly events: number }) {
  const { answer } = useGet<{ readonly work_order_id: string | null; readonly rights: readonly RightUse[] }>(
    `/sessions/${session_id}/rights#${events}`,
  );
  if (answer.state !== "there" || answer.value.work_order_id === null) return null;
  const { rights } = answer.value;
  const shown = [...rights].sort((a, b) => Number(b.used === 0) - Number(a.used === 0));
  const unused = rights.filter(({ used }) => used === 0).length;
  return (
    <section className="panel">
      <div className="title">
        <h2>Rights</h2>
        <span className="grow" />
        <span className="soft">{unused === 0 ? "all were used" : `${count(unused)} granted and never used`}</span>
      </div>
      {rights.length === 0 ? (
        <p className="body soft">The order grants nothing.</p>
      ) : (
        <ul className="calls">
          {shown.map(({ right, path, pattern, used, examples }) => (
            <li key={`${path} ${pattern}`} title={path}>
              <State
                name={used === 0 ? "idle" : used === null ? "doubt" : "done"}
                label={used === 0 ? "never used" : used === null ? "not known" : `used for ${count(used)}`}
              />
              <span>
                {right} <code>{visible(pattern)}</code>
              </span>
              <code className="soft clip">{examples.map(visible).join(", ")}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
