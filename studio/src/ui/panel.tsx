import type { ReactNode } from "react";

/** A part of a page: its name, what it is in a few words, and at the right what one can do or where it leads. */
export function Panel(props: {
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly right?: ReactNode;
  readonly label?: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="panel" {...(props.label ? { "aria-label": props.label } : {})}>
      <div className="title">
        <h2>{props.title}</h2>
        {props.about && <span className="soft">{props.about}</span>}
        <span className="grow" />
        {props.right}
      </div>
      {props.children}
    </section>
  );
}
