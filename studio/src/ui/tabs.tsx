import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly content: () => ReactNode;
}

export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}) {
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  const current = props.tabs.find((tab) => tab.id === props.chosen) ?? props.tabs[0];
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || !current) return;
    event.preventDefault();
    const next = (props.tabs.indexOf(current) + step + props.tabs.length) % props.tabs.length;
    props.onChoose(props.tabs[next]?.id ?? current.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={props.label} ref={list} onKeyDown={move}>
        {props.tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${name}-${tab.id}`}
            aria-selected={tab === current}
            aria-controls={`${name}-panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => props.onChoose(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${name}-panel`}
        aria-labelledby={`${name}-${current?.id}`}
        tabIndex={0}
        className="tab-panel"
      >
        {current?.content()}
      </div>
    </>
  );
}
