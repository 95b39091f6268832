import { memo, useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { get } from "../api/client.ts";
import { useWhyNot } from "../api/rights.ts";
import type { Approval } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { everyKind } from "../pages/approval-texts.ts";
import { AskedBy, decidableFirst } from "../pages/asked-by.tsx";
import { Chips } from "../ui/chips.tsx";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { State } from "../ui/state.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { visible } from "../ui/visible.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { shapeOf, stateOf } from "./approval-state.ts";
import { nothingRead, readAgain, type StillList, withEnd, withFresh } from "./still-list.ts";
import { useCalm } from "./use-calm.ts";

/** How often a burst of arrivals is read. */
const calmMs = 1_000;

/** One place for everything that waits for a person. */
export function InboxPage(props: {
  readonly approval_id: string | null;
  readonly live: number;
  readonly me: string | null;
}) {
  const [search] = useSearchParams();
  const wanted = search.get("state") ?? "open";
  // Another filter, or another reader, is another list.
  return <Queue key={`${wanted} ${props.me}`} wanted={wanted} {...props} />;
}

function Queue({
  wanted,
  approval_id,
  live,
  me,
}: {
  readonly wanted: string;
  readonly approval_id: string | null;
  readonly live: number;
  readonly me: string | null;
}) {
  const calm = useCalm(live, calmMs);
  const { answer, again } = useGet<{ approvals: readonly Approval[] }>(
    me === null ? null : `/approvals?state=${wanted}&limit=200#${calm}`,
  );
  const [list, setList] = useState<StillList | null>(null);
  const current = useRef(list);
  current.current = list;
  const settle = useCallback((ended: Approval) => setList((before) => before && withEnd(before, ended)), []);
  useEffect(() => {
    if (answer.state !== "there") return;
    const found = answer.value.approvals;
    if (current.current === null) {
      setList({ entries: wanted === "open" ? decidableFirst(found, me) : found, fresh: [] });
      return;
    }
    const { list: next, gone } = readAgain(current.current, found);
    setList(next);
    // What left the list says in its place what became of it.
    for (const id of gone) get<Approval>(`/approvals/${id}`).then(settle, () => undefined);
  }, [answer, wanted, me, settle]);
  const [, go] = useLocation();
  const mayDecide = useWhyNot("approve") === null;
  const { entries, fresh } = list ?? nothingRead;
  const shown = approval_id ?? entries[0]?.approval_id ?? null;
  const at = entries.findIndex((entry) => entry.approval_id === shown);
  const step = (by: number) => {
    const next = entries[Math.max(0, Math.min(entries.length - 1, at + by))];
    if (next) go(`/inbox/${next.approval_id}?state=${wanted}`);
  };
  const showFresh = () => {
    setList((before) => before && withFresh(before));
    if (entries.length === 0 && fresh[0]) go(`/inbox/${fresh[0].approval_id}?state=${wanted}`);
  };
  useKeys({ j: () => step(1), k: () => step(-1), n: showFresh });
  return (
    <div className="page">
      <header>
        <h1>Inbox</h1>
        <Chips
          label="Which requests"
          names={["open", "decided", "all"]}
          chosen={wanted}
          onChoose={(state) => go(`/inbox?state=${state}`)}
        />
        {at >= 0 && entries.length > 1 && (
          <span className="soft">
            {at + 1} of {entries.length}
          </span>
        )}
        <span className="grow" />
        <span role="status">
          {fresh.length > 0 && (
            <button type="button" className="button" onClick={showFresh}>
              {fresh.length} new, show below <kbd>n</kbd>
            </button>
          )}
        </span>
      </header>
      {answer.state === "loading" && list === null && <Loading what="what waits" />}
      {answer.state === "failed" && <Trouble problem={answer.problem} retry={again} />}
      {list !== null && entries.length === 0 && approval_id === null && (
        <Empty
          title={wanted !== "open" ? "Nothing was decided yet" : `Nothing waits for ${mayDecide ? "you" : "anybody"}`}
          command='export default () => ({ decision: "ask", reason: "somebody looks first" });'
        >
          {everyKind()} land here. A module hook at PreToolUse that wants you asked:
        </Empty>
      )}
      {shown && (list !== null || answer.state === "failed") && (
        <div className="sides desk">
          <div className="panel" role="list" aria-label="What waits">
            {entries.map((approval) => (
              <Entry
                key={approval.approval_id}
                approval={approval}
                isShown={approval.approval_id === shown}
                wanted={wanted}
                me={me}
              />
            ))}
          </div>
          <ApprovalCard key={shown} approval_id={shown} me={me} live={calm} onSettled={settle} />
        </div>
      )}
    </div>
  );
}

/** Drawn anew only where something of it changed: a reader goes through hundreds. */
const Entry = memo(function Entry({
  approval,
  isShown,
  wanted,
  me,
}: {
  readonly approval: Approval;
  readonly isShown: boolean;
  readonly wanted: string;
  readonly me: string | null;
}) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isShown) link.current?.scrollIntoView({ block: "nearest" });
  }, [isShown]);
  return (
    <Link
      ref={link}
      role="listitem"
      className="pick"
      aria-current={isShown}
      href={`/inbox/${approval.approval_id}?state=${wanted}`}
    >
      <strong className="clip">{visible(approval.title)}</strong>
      <span className="row">
        <span className="soft clip grow">
          <AskedBy approval={approval} me={me} />
        </span>
        {(wanted !== "open" || approval.state !== "open" || approval.choice !== null) && (
          <State name={shapeOf(approval)} label={stateOf(approval)} />
        )}
      </span>
    </Link>
  );
});
