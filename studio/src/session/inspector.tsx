import type { Event } from "../api/types.ts";
import { Copy } from "../ui/copy.tsx";
import { Json } from "../ui/json.tsx";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import { useParam } from "../ui/use-param.ts";
import { visible } from "../ui/visible.ts";
import { counterpart } from "./counterpart.ts";
import { describe } from "./describe-event.ts";
import { Evidence } from "./evidence.tsx";
import { Prompt, promptOf } from "./prompt.tsx";
import { Why } from "./why.tsx";

/** The selected event: what went in, what came out, which rule decided, the bytes, the hashes. */
export function Inspector({
  event,
  loaded,
  onClose,
}: {
  readonly event: Event;
  readonly loaded: readonly Event[];
  readonly onClose: () => void;
}) {
  const [tab, setTab] = useParam("tab");
  const row = describe(event);
  const { input, output } = counterpart(event, loaded);
  const prompt = promptOf(event, loaded);
  const tabs: readonly Tab[] = [
    {
      id: "input",
      label: prompt ? "Prompt" : "Input",
      content: () =>
        prompt ? (
          <Prompt request={prompt} loaded={loaded} />
        ) : (
          <Json value={input ?? "this event has no input of its own"} />
        ),
    },
    { id: "output", label: "Output", content: () => <Json value={output ?? "nothing came out yet"} /> },
    { id: "why", label: "Why", content: () => <Why event={event} loaded={loaded} /> },
    { id: "raw", label: "Raw", content: () => <Json value={event} /> },
    { id: "evidence", label: "Evidence", content: () => <Evidence event={event} /> },
  ];
  return (
    <section className="inspector" aria-label="Inspector">
      <div className="head">
        <h2 className="clip">{visible(row.subject)}</h2>
        <span className="soft mono">
          {event.type} #{event.seq}
        </span>
        <span className="grow" />
        <Copy value={event.id} shown={event.id.slice(0, 10)} />
        <button type="button" className="button quiet" onClick={onClose}>
          close <kbd>esc</kbd>
        </button>
      </div>
      <Tabs label="Parts of the event" chosen={tab ?? "input"} onChoose={setTab} tabs={tabs} />
    </section>
  );
}
