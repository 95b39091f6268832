import { useState } from "react";
import type { Event } from "../api/types.ts";
import { Copy } from "../ui/copy.tsx";
import { Json } from "../ui/json.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { counterpart } from "./counterpart.ts";
import { describe } from "./describe-event.ts";
import { Evidence } from "./evidence.tsx";
import { Why } from "./why.tsx";

/** The selected event: what went in, what came out, which rule decided, the bytes, the hashes. */
export function Inspector({ event, loaded }: { readonly event: Event; readonly loaded: readonly Event[] }) {
  const [tab, setTab] = useState("input");
  const told = describe(event);
  const { input, output } = counterpart(event, loaded);
  return (
    <section className="inspector" aria-label="Inspector">
      <div className="head">
        <h2 className="clip">{told.subject}</h2>
        <span className="soft mono">
          {event.type} #{event.seq}
        </span>
        <span className="grow" />
        <Copy value={event.id} shown={event.id.slice(0, 10)} />
      </div>
      <Tabs
        label="Parts of the event"
        chosen={tab}
        onChoose={setTab}
        tabs={[
          {
            id: "input",
            label: "Input",
            content: () => <Json value={input ?? "this event has no input of its own"} />,
          },
          { id: "output", label: "Output", content: () => <Json value={output ?? "nothing came out yet"} /> },
          { id: "why", label: "Why", content: () => <Why event={event} loaded={loaded} /> },
          { id: "raw", label: "Raw", content: () => <Json value={event} /> },
          { id: "evidence", label: "Evidence", content: () => <Evidence event={event} /> },
        ]}
      />
    </section>
  );
}
