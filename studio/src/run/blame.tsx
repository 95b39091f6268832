import { Link } from "wouter";
import { useGet } from "../api/use-get.ts";
import { Copy, shortId } from "../ui/copy.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Loading, Trouble } from "../ui/notes.tsx";
import { useParam } from "../ui/use-param.ts";
import { visible } from "../ui/visible.ts";

interface BlameLine {
  readonly line: number;
  readonly text: string;
  readonly revision_id: string;
  readonly patch_id: string | null;
  readonly author_kind: string;
  readonly author_id: string;
  readonly work_order_id: string | null;
  readonly session_id: string | null;
  readonly app_turn: number | null;
  readonly model: string | null;
  readonly verdict: string | null;
}

/** The author of each line beside it; for the chosen line everything down to the model and its mandate. */
export function Blame({ run_id, revision_id }: { readonly run_id: string; readonly revision_id: string }) {
  const { answer } = useGet<{ lines: readonly BlameLine[] }>(`/runs/${run_id}/blame?revision=${revision_id}`);
  const [chosen, choose] = useParam("line");
  if (answer.state === "loading") return <Loading what="who wrote each line" />;
  if (answer.state === "failed") return <Trouble problem={answer.problem} />;
  const { lines } = answer.value;
  return lines.map((line, index) => {
    const isFirst = index === 0 || line.patch_id !== lines[index - 1]?.patch_id;
    const isChosen = chosen === String(line.line);
    const turn = () => choose(isChosen ? null : String(line.line));
    return (
      <div key={line.line}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: its number is the button that does the same */}
        <div className={`line blamed${isFirst ? " first" : ""}${isChosen ? " chosen" : ""}`} onClick={turn}>
          <span className="blame clip">{isFirst && <Author line={line} />}</span>
          <button
            type="button"
            className="line-number bare"
            aria-label={`Who wrote line ${line.line}`}
            aria-expanded={isChosen}
          >
            {line.line}
          </button>
          <span>{visible(line.text)}</span>
        </div>
        {isChosen && <Origin line={line} />}
      </div>
    );
  });
}

function Author({ line }: { readonly line: BlameLine }) {
  return (
    <>
      {line.session_id ? (
        <Link href={`/sessions/${line.session_id}`} onClick={(event) => event.stopPropagation()}>
          {shortId(line.session_id)}
        </Link>
      ) : (
        line.author_kind
      )}{" "}
      <span className="faint">{visible(line.author_id)}</span>
    </>
  );
}

/** Leads from the line back to the work, the session and the model that produced it. */
function Origin({ line }: { readonly line: BlameLine }) {
  return (
    <Facts className="origin">
      <Fact name="written by">
        {visible(line.author_id)} <span className="soft">({line.author_kind})</span>
      </Fact>
      <Fact name="session">
        {line.session_id && <Link href={`/sessions/${line.session_id}`}>{shortId(line.session_id)}</Link>}
      </Fact>
      <Fact name="work order">{line.work_order_id}</Fact>
      <Fact name="model">{line.model && visible(line.model)}</Fact>
      <Fact name="verdict">{line.verdict && visible(line.verdict)}</Fact>
      <Fact name="patch">{line.patch_id ? <Copy value={line.patch_id} /> : "none: the app wrote it itself"}</Fact>
      <Fact name="revision">
        <Copy value={line.revision_id} />
        {line.app_turn !== null && <span className="soft"> taken in turn {line.app_turn} of the app</span>}
      </Fact>
    </Facts>
  );
}
