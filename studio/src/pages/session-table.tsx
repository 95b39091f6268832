import { Link, useLocation } from "wouter";
import type { SessionInfo, Summary } from "../api/types.ts";
import { askedOf, stateOfSession } from "../session/state-of-session.ts";
import { Columns } from "../ui/columns.tsx";
import { Copy, shortId } from "../ui/copy.tsx";
import { count, usd } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { Ago, duration } from "../ui/time.tsx";
import { useRowKeys } from "../ui/use-row-keys.ts";
import { visible } from "../ui/visible.ts";

export function SessionTable({
  sessions,
  keys = true,
  narrow = false,
  sort = "began",
  onSort,
}: {
  readonly sessions: readonly SessionInfo[];
  readonly keys?: boolean;
  /** Leaves out what a narrow place has no room for. */
  readonly narrow?: boolean;
  readonly sort?: string;
  readonly onSort?: (name: string) => void;
}) {
  const [, go] = useLocation();
  const open = (info: SessionInfo | undefined) => info && go(`/sessions/${info.session_id}`);
  const { at, body } = useRowKeys(sessions.length, (index) => open(sessions[index]), { on: keys });
  return (
    <table className={`table listed${narrow ? "" : " answered"}`}>
      {narrow ? <Columns names={["state", "asked", "session", "#began"]} /> : <Head sort={sort} onSort={onSort} />}
      <tbody ref={body}>
        {sessions.map((info, index) => (
          <tr key={info.session_id} className="leads" data-selected={index === at} onClick={() => open(info)}>
            <td>
              <State {...stateOfSession(info)} />
              {info.refused_acts !== undefined && <State name="denied" label={`${count(info.refused_acts)} refused`} />}
            </td>
            <td className="asked">
              <Link className="clip" href={`/sessions/${info.session_id}`} onClick={(event) => event.stopPropagation()}>
                {visible(askedOf(info))}
              </Link>
            </td>
            <td>
              <Copy value={info.session_id} shown={shortId(info.session_id)} />
            </td>
            {!narrow && (
              <>
                <Names of={info.allowed_by} />
                <Names of={info.saw} />
                <Names of={info.wrote} />
                <td className="number" title={`${count(info.tokens ?? 0)} tokens`}>
                  {info.usd === undefined ? "" : usd(info.usd)}
                </td>
                <td className="number">{duration(Date.parse(info.last_at) - Date.parse(info.started_at))}</td>
              </>
            )}
            <td className="number soft">
              <Ago ts={info.started_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const sorted: readonly (readonly [title: string, name: string])[] = [
  ["cost", "cost"],
  ["took", "took"],
  ["began", "began"],
];

/** A number's name sorts by it, the largest first. */
function Head({ sort, onSort }: { readonly sort: string; readonly onSort: ((name: string) => void) | undefined }) {
  return (
    <thead>
      <tr>
        {["state", "asked", "session", "allowed by", "saw", "wrote"].map((name) => (
          <th key={name}>{name}</th>
        ))}
        {sorted.map(([title, name]) => (
          <th key={name} className="number" aria-sort={sort === name ? "descending" : "none"}>
            {onSort ? (
              <button type="button" className="link sort" onClick={() => onSort(name)}>
                {title}
                {sort === name && <span aria-hidden="true"> ↓</span>}
              </button>
            ) : (
              title
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The first names of an answer, and how many there are. */
function Names({ of }: { readonly of: Summary | undefined }) {
  if (!of) return <td className="names faint">…</td>;
  const [first] = of.first;
  return (
    <td className="names" title={of.first.map(visible).join("\n")}>
      {first === undefined ? (
        <span className="faint">–</span>
      ) : (
        <span className="row">
          <span className="clip">{visible(first)}</span>
          {of.count > 1 && <span className="faint">+{count(of.count - 1)}</span>}
        </span>
      )}
    </td>
  );
}
