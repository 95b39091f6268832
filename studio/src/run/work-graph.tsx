import { useMemo } from "react";
import type { RunV1, WorkItemV1 } from "../api/types.ts";
import { Graph } from "../ui/graph.tsx";
import { State } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";
import { ownObjective, stateAmong } from "./states.ts";

export function WorkGraph(props: {
  readonly run: RunV1;
  readonly items: readonly WorkItemV1[];
  readonly selected: string | null;
  readonly onSelect: (work_id: string) => void;
}) {
  const nodes = useMemo(
    () =>
      props.items.map((item) => ({
        id: item.work_id,
        marked: item.status === "leased",
        content: (
          <>
            <span className="clip" title={item.objective}>
              {visible(ownObjective(item, props.run))}
            </span>
            <span className="row">
              <State {...stateAmong(props.items, item)} />
              <span className="soft clip">{item.capability}</span>
            </span>
          </>
        ),
      })),
    [props.items, props.run],
  );
  const edges = useMemo(
    () => props.items.flatMap((item) => item.depends_on.map((from) => ({ from, to: item.work_id }))),
    [props.items],
  );
  return (
    <Graph
      label="Work items and what they wait for"
      nodes={nodes}
      edges={edges}
      selected={props.selected}
      onSelect={props.onSelect}
    />
  );
}
