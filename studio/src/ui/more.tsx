import { type ReactNode, useState } from "react";

/** What few want to see: made when somebody opens it, not before. */
export function More({ summary, children }: { readonly summary: ReactNode; readonly children: () => ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}
