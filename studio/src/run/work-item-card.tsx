import { Link } from "wouter";
import type { PatchV1, WorkItemV1 } from "../api/types.ts";
import { Copy, shortId } from "../ui/copy.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
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
      <Facts>
        <Fact name="work item">
          <Copy value={item.work_id} />
        </Fact>
        <Fact name="capability">{item.capability}</Fact>
        <Fact name="lease">
          {item.lease_owner ?? "nobody"}, epoch {item.lease_epoch}, {item.retry_count} retries
        </Fact>
        <Fact name="work order">{item.work_order_id && <Copy value={item.work_order_id} />}</Fact>
        <Fact name="session">
          {item.session_id && <Link href={`/sessions/${item.session_id}`}>{shortId(item.session_id)}</Link>}
        </Fact>
        <Fact name="error">{item.error && `${item.error.code}: ${visible(item.error.message)}`}</Fact>
        <Fact name="patches">
          {patches.map((patch) => `${patch.patch_id} (${fateOf(patch)})`).join(", ") || "none"}
        </Fact>
      </Facts>
    </div>
  );
}

function fateOf(patch: PatchV1): string {
  if (patch.applied_in_revision_id) return "applied";
  return patch.rejected_in_revision_id ? `rejected: ${patch.reject_reason ?? "no reason given"}` : "waiting";
}
