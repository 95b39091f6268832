import type { ReactNode } from "react";
import { useParam } from "./use-param.ts";

/** What few want to see: made when somebody opens it, not before. What is open stands in the address. */
export function More(props: { readonly id: string; readonly summary: ReactNode; readonly children: () => ReactNode }) {
  const [param, setOpen] = useParam("open");
  const open = param?.split(",") ?? [];
  const isOpen = open.includes(props.id);
  // The browser opens it by itself; the address is told.
  const told = (now: boolean) => {
    if (now === isOpen) return;
    setOpen((now ? [...open, props.id] : open.filter((id) => id !== props.id)).join(","));
  };
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => told(currentTarget.open)}>
      <summary>{props.summary}</summary>
      {isOpen && props.children()}
    </details>
  );
}
