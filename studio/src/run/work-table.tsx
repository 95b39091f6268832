import { Link } from "wouter";
import type { RunV1, WorkItemV1 } from "../api/types.ts";
import { Columns } from "../ui/columns.tsx";
import { shortId } from "../ui/copy.tsx";
import { State } from "../ui/state.tsx";
import { duration } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { ownObjective, stateOfWork } from "./states.ts";

/** The same work as a list: a graph is seen, a table is read. */
export function WorkTable(props: {
  readonly run: RunV1;
  readonly items: readonly WorkItemV1[];
  readonly selected: string | null;
  readonly onSelect: (work_id: string) => void;
}) {
  const isLinked = props.items.some(({ session_id }) => session_id);
  return (
    <div className="work-table">
      <table className="table">
        <Columns names={["state", "work", ...(isLinked ? ["session"] : []), "#took"]} />
        <tbody>
          {props.items.map((item) => (
            <tr key={item.work_id} className="leads" data-selected={item.work_id === props.selected}>
              <td>
                <State {...stateOfWork(item)} />
              </td>
              <td className="asked">
                <button type="button" className="link clip" onClick={() => props.onSelect(item.work_id)}>
                  {visible(ownObjective(item, props.run))}
                </button>
              </td>
              {isLinked && (
                <td>
                  {item.session_id && <Link href={`/sessions/${item.session_id}`}>{shortId(item.session_id)}</Link>}
                </td>
              )}
              <td className="number soft">{duration(Date.parse(item.updated_at) - Date.parse(item.created_at))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
