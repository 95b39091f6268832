import { Link } from "wouter";
import type { PatchV1, WorkItemV1 } from "../api/types.ts";
import { Copy, shortId } from "../ui/copy.tsx";
import { State } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";
import { stateOfWork } from "./states.ts";

export function WorkItemCard({
  item,
  patches,
  onClose,
}: {
  readonly item: WorkItemV1;
  readonly patches: readonly PatchV1[];
  readonly onClose: () => void;
}) {
  return (
    <div className="work-card">
      <div className="row">
        <strong className="grow">{visible(item.objective)}</strong>
        <State {...stateOfWork(item)} />
        <button type="button" className="button quiet" onClick={onClose}>
          close
        </button>
      </div>
      <dl className="facts">
        <dt>work item</dt>
        <dd>
          <Copy value={item.work_id} />
        </dd>
        <dt>capability</dt>
        <dd>{item.capability}</dd>
        <dt>lease</dt>
        <dd>
          {item.lease_owner ?? "nobody"}, epoch {item.lease_epoch}, {item.retry_count} retries
        </dd>
        {item.work_order_id && (
          <>
            <dt>work order</dt>
            <dd>
              <Copy value={item.work_order_id} />
            </dd>
          </>
        )}
        {item.session_id && (
          <>
            <dt>session</dt>
            <dd>
              <Link href={`/sessions/${item.session_id}`}>{shortId(item.session_id)}</Link>
            </dd>
          </>
        )}
        {item.error && (
          <>
            <dt>error</dt>
            <dd>
              {item.error.code}: {visible(item.error.message)}
            </dd>
          </>
        )}
        <dt>patches</dt>
        <dd>{patches.map((patch) => `${patch.patch_id} (${fateOf(patch)})`).join(", ") || "none"}</dd>
      </dl>
    </div>
  );
}

function fateOf(patch: PatchV1): string {
  if (patch.applied_in_revision_id) return "applied";
  return patch.rejected_in_revision_id ? `rejected: ${patch.reject_reason ?? "no reason given"}` : "waiting";
}
