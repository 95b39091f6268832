import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import type { RunV1, SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { places } from "../places.ts";
import { askedOf, stateOfSession } from "../session/state-of-session.ts";
import { shortId } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { visible } from "./visible.ts";

interface Target {
  readonly label: string;
  readonly note: string;
  readonly href: string;
}

export function Palette(props: { readonly open: boolean; readonly onOpen: () => void; readonly onClose: () => void }) {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      props.onOpen();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [props.onOpen]);
  return props.open ? <Open onClose={props.onClose} /> : null;
}

function Open({ onClose }: { readonly onClose: () => void }) {
  const [, go] = useLocation();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { answer: sessions } = useGet<{ sessions: readonly SessionInfo[] }>("/sessions?limit=100");
  const { answer: runs } = useGet<{ runs: readonly RunV1[] }>("/runs?limit=50");
  const targets: readonly Target[] = [
    ...places.map((place) => ({ label: place.name, note: "page", href: place.href })),
    ...(sessions.state === "there" ? sessions.value.sessions : []).map((info) => ({
      label: visible(askedOf(info)),
      note: `session ${shortId(info.session_id)} · ${stateOfSession(info).label}`,
      href: `/sessions/${info.session_id}`,
    })),
    ...(runs.state === "there" ? runs.value.runs : []).map((run) => ({
      label: visible(run.objective),
      note: `run · ${run.status}`,
      href: `/runs/${run.run_id}`,
    })),
  ];
  const wanted = text.toLowerCase();
  const shown = targets
    .filter((target) => `${target.label} ${target.note} ${target.href}`.toLowerCase().includes(wanted))
    .slice(0, 12);
  const open = (target: Target | undefined) => {
    if (!target) return;
    onClose();
    go(target.href);
  };
  return (
    <Dialog label="Go to" onClose={onClose}>
      <input
        className="field wide"
        autoFocus
        placeholder="a page, a session, a run"
        aria-label="Go to"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={shown[at] ? `palette-${at}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt((before) => Math.min(before + 1, shown.length - 1));
          else if (event.key === "ArrowUp") setAt((before) => Math.max(before - 1, 0));
          else if (event.key === "Enter") open(shown[at]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Places">
        {shown.map((target, index) => (
          <li
            key={target.href}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            className={`palette-row${index === at ? " lead" : ""}`}
            onClick={() => open(target)}
          >
            <span className="clip grow">{target.label}</span>
            <span className="soft clip">{target.note}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
