import type { ReactNode } from "react";
import { useParam } from "./use-param.ts";

/** Folded content that few readers need: rendered only once it is opened. The address holds which folds are open. */
export function More(props: { readonly id: string; readonly summary: ReactNode; readonly children: () => ReactNode }) {
  const [param, setOpen] = useParam("open");
  const open = param?.split(",") ?? [];
  const isOpen = open.includes(props.id);
  // The browser toggles the element itself; this keeps the address in step.
  const toggled = (now: boolean) => {
    if (now === isOpen) return;
    setOpen((now ? [...open, props.id] : open.filter((id) => id !== props.id)).join(","));
  };
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => toggled(currentTarget.open)}>
      <summary>{props.summary}</summary>
      {isOpen && props.children()}
    </details>
  );
}
