import { Link, useLocation } from "wouter";
import type { SessionInfo } from "../api/types.ts";
import { askedOf, stateOfSession } from "../session/state-of-session.ts";
import { Columns } from "../ui/columns.tsx";
import { Copy, shortId } from "../ui/copy.tsx";
import { count } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { Ago, duration } from "../ui/time.tsx";
import { useRowKeys } from "../ui/use-row-keys.ts";
import { visible } from "../ui/visible.ts";

export function SessionTable({
  sessions,
  keys = true,
  narrow = false,
}: {
  readonly sessions: readonly SessionInfo[];
  readonly keys?: boolean;
  /** Leaves out what a narrow place has no room for. */
  readonly narrow?: boolean;
}) {
  const [, go] = useLocation();
  const open = (info: SessionInfo | undefined) => info && go(`/sessions/${info.session_id}`);
  const { at, body } = useRowKeys(sessions.length, (index) => open(sessions[index]), { on: keys });
  return (
    <table className="table listed">
      <Columns names={["state", "asked", "session", ...(narrow ? [] : ["#events", "#took"]), "#began"]} />
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
            {!narrow && <td className="number">{count(info.events)}</td>}
            {!narrow && <td className="number">{duration(Date.parse(info.last_at) - Date.parse(info.started_at))}</td>}
            <td className="number soft">
              <Ago ts={info.started_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
