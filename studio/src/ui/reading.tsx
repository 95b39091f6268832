import type { ReactNode } from "react";
import type { Answer } from "../api/use-get.ts";
import { Loading, Trouble } from "./notes.tsx";

interface Props<T> {
  /** What is read, as “Reading … …” names it. */
  readonly what: string;
  readonly read: { readonly answer: Answer<T>; readonly again: () => void };
  readonly children: (value: T) => ReactNode;
}

/** A resource: that it is being read, why it cannot be, or what it says. */
export function Reading<T>({ what, read: { answer, again }, children }: Props<T>): ReactNode {
  if (answer.state === "loading") return <Loading what={what} />;
  if (answer.state === "failed") return <Trouble problem={answer.problem} retry={again} />;
  return children(answer.value);
}

/** The same where the resource is the whole page. */
export function ReadingPage<T>(props: Props<T>): ReactNode {
  if (props.read.answer.state === "there") return props.children(props.read.answer.value);
  return (
    <div className="page">
      <Reading {...props} />
    </div>
  );
}
