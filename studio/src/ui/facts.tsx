import type { ReactNode } from "react";

/** Names and what they are, in two columns. */
export function Facts({ children, className = "" }: { readonly children: ReactNode; readonly className?: string }) {
  return <dl className={`facts ${className}`}>{children}</dl>;
}

/** One of them; none where there is nothing to tell. */
export function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === "") return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
