import { useCallback, useEffect, useState } from "react";
import { get, type Problem, problemOf, useSignIn } from "./client.ts";
import { reachable } from "./reachable.ts";

export type Answer<T> =
  | { readonly state: "loading" }
  | { readonly state: "there"; readonly value: T }
  | { readonly state: "failed"; readonly problem: Problem };

/**
 * Reads a resource, and again when asked or when what follows `#` in the path changes; what was read stays visible
 * meanwhile. So it does where more of the same is asked for, and `same` says that it is the same: a list that went away
 * would take the reader's place in it along.
 */
export function useGet<T>(
  path: string | null,
  same: string | null = path?.split("#")[0] ?? null,
): { readonly answer: Answer<T>; readonly again: () => void } {
  const [answer, setAnswer] = useState<Answer<T>>({ state: "loading" });
  const [round, setRound] = useState(0);
  const key = useSignIn();
  const again = useCallback(() => setRound((before) => before + 1), []);
  const resource = path?.split("#")[0] ?? null;
  useEffect(() => setAnswer({ state: "loading" }), [same]);
  useEffect(() => {
    if (resource === null) return;
    const stop = new AbortController();
    get<T>(resource, stop.signal).then(
      (value) => setAnswer({ state: "there", value }),
      (thrown) => stop.signal.aborted || setAnswer({ state: "failed", problem: problemOf(thrown) }),
    );
    return () => stop.abort();
  }, [resource, path, round, key]);
  const isUnreached = answer.state === "failed" && answer.problem.code === "UNREACHABLE";
  useEffect(() => (isUnreached ? reachable.subscribe(again) : undefined), [isUnreached, again]);
  return { answer, again };
}
