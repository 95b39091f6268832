import { diffLines } from "diff";
import { useEffect, useMemo, useState } from "react";
import { getBytes, type Problem, problemOf } from "../api/client.ts";
import type { RevisionV1 } from "../api/types.ts";
import { Chips } from "../ui/chips.tsx";
import { Loading, Trouble } from "../ui/notes.tsx";
import { Ago } from "../ui/time.tsx";
import { useParam } from "../ui/use-param.ts";
import { visible } from "../ui/visible.ts";
import { Blame } from "./blame.tsx";

const modes = ["text", "diff", "blame"] as const;

/** The document at a revision; what that revision changed; who wrote each line. */
export function DocumentView({
  run_id,
  revisions,
}: {
  readonly run_id: string;
  readonly revisions: readonly RevisionV1[];
}) {
  // In the address: who is sent a link sees the same revision in the same way. Without one it is the newest, as it grows.
  const [pinned, pin] = useParam("revision");
  const [chosen, setMode] = useParam("show");
  const mode = modes.find((name) => name === chosen) ?? "text";
  const last = revisions.length - 1;
  const at = Math.min(last, Math.max(0, pinned === null ? last : Number(pinned) - 1 || 0));
  const revision = revisions[at];
  const here = useDocument(run_id, revision?.revision_id ?? null);
  const before = useDocument(run_id, mode === "diff" ? (revision?.parent_revision_id ?? null) : null);
  if (!revision) return null;
  return (
    <>
      <div className="title">
        <Chips
          label="How to show it"
          names={modes}
          chosen={mode}
          onChoose={(name) => setMode(name === "text" ? null : name)}
        />
        <input
          type="range"
          className="grow"
          min={0}
          max={last}
          value={at}
          aria-label="Revision"
          onChange={({ target }) => pin(Number(target.value) === last ? null : String(Number(target.value) + 1))}
        />
        <span className="soft">
          {at + 1} of {revisions.length}, <Ago ts={revision.created_at} />
        </span>
      </div>
      <div className="document" tabIndex={0} role="document" aria-label={`Revision ${at + 1}`}>
        {here.problem && <Trouble problem={here.problem} />}
        {mode === "text" && here.text !== null && <Lines text={here.text} />}
        {mode === "diff" && here.text !== null && (
          <Diff before={revision.parent_revision_id ? before.text : ""} after={here.text} />
        )}
        {mode === "blame" && <Blame run_id={run_id} revision_id={revision.revision_id} />}
      </div>
    </>
  );
}

function useDocument(
  run_id: string,
  revision_id: string | null,
): { readonly text: string | null; readonly problem: Problem | null } {
  const [state, setState] = useState<{ text: string | null; problem: Problem | null }>({ text: null, problem: null });
  useEffect(() => {
    if (revision_id === null) return;
    const stop = new AbortController();
    getBytes(`/runs/${run_id}/revisions/${revision_id}/document`, stop.signal)
      .then((bytes) => bytes.text())
      .then(
        (text) => setState({ text, problem: null }),
        (thrown) => stop.signal.aborted || setState({ text: null, problem: problemOf(thrown) }),
      );
    return () => stop.abort();
  }, [run_id, revision_id]);
  return state;
}

function Lines({ text }: { readonly text: string }) {
  return (
    <>
      {text.split("\n").map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <div key={index} className={`line ${kindOf(line)}`}>
          <span className="line-number">{index + 1}</span>
          <span>{visible(line)}</span>
        </div>
      ))}
    </>
  );
}

/** The text stays as it is written; only its weight tells headings, footnotes and the head apart. */
function kindOf(line: string): string {
  if (line.startsWith("# ")) return "heading h1";
  if (/^#{2,6} /.test(line)) return "heading";
  if (/^\[\^[^\]]+\]:/.test(line)) return "footnote";
  return /^(?:---|objective: |status: )/.test(line) ? "mark" : "";
}

function Diff({ before, after }: { readonly before: string | null; readonly after: string }) {
  const parts = useMemo(() => (before === null ? [] : diffLines(before, after)), [before, after]);
  if (before === null) return <Loading what="the revision before" />;
  return (
    <>
      {parts.map((part, index) => (
        <pre
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
          key={index}
          className={part.added ? "added" : part.removed ? "removed" : ""}
        >
          {visible(part.value.replace(/\n$/, ""))
            .split("\n")
            .map((line) => `${part.added ? "+" : part.removed ? "−" : " "} ${line}`)
            .join("\n")}
        </pre>
      ))}
    </>
  );
}
