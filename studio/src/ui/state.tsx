export type StateName =
  | "done"
  | "running"
  | "waiting"
  | "halted"
  | "interrupted"
  | "quarantined"
  | "denied"
  | "failed"
  | "doubt"
  | "idle";

const labels: Record<StateName, string> = {
  done: "done",
  running: "running",
  waiting: "waiting",
  halted: "halted",
  interrupted: "interrupted",
  quarantined: "in quarantine",
  denied: "denied",
  failed: "failed",
  doubt: "in doubt",
  idle: "idle",
};

/** A state by shape, colour and word: none of the three carries it alone. */
export function State({ name, label }: { readonly name: StateName; readonly label?: string | undefined }) {
  return (
    <span className={`state ${name}`}>
      <Shape name={name} />
      {label ?? labels[name]}
    </span>
  );
}

export function Shape({ name }: { readonly name: StateName }) {
  const line = { fill: "none", stroke: "currentColor", strokeWidth: 1.8, strokeLinecap: "round" } as const;
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true">
      {name === "done" && <path d="M2 6.5 4.8 9.2 10 3" {...line} />}
      {name === "running" && <path d="M10.5 6A4.5 4.5 0 1 1 6 1.5" {...line} />}
      {name === "waiting" && <path d="M6 1.2 10.8 6 6 10.8 1.2 6Z" {...line} />}
      {name === "halted" && <path d="M2.5 2.5h7v7h-7Z" {...line} />}
      {name === "interrupted" && <path d="M2 6h2.4M7.6 6H10M5.2 2.6l1.6 6.8" {...line} />}
      {name === "quarantined" && <path d="M2.4 5.4h7.2v4.4H2.4ZM4 5.2V4a2 2 0 0 1 4 0v1.2" {...line} />}
      {name === "denied" && (
        <>
          <circle cx="6" cy="6" r="4.6" {...line} />
          <path d="M2.9 9.1 9.1 2.9" {...line} />
        </>
      )}
      {name === "failed" && <path d="M2.5 2.5 9.5 9.5M9.5 2.5 2.5 9.5" {...line} />}
      {name === "doubt" && <path d="M4 4a2 2 0 1 1 2.6 1.9c-.5.2-.6.6-.6 1.3M6 9.6v.1" {...line} />}
      {name === "idle" && <circle cx="6" cy="6" r="3.2" {...line} />}
    </svg>
  );
}
