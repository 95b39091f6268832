import { useState } from "react";
import { getBytes, problemOf } from "../api/client.ts";
import { Failure } from "../ui/failure.tsx";

/** The session as one file for a reader without Writ: a page that proves itself, offline. */
export function KeepBundle({ session_id }: { readonly session_id: string }) {
  const [state, setState] = useState<{ readonly busy: boolean; readonly problem: string | null }>({
    busy: false,
    problem: null,
  });
  const keep = async () => {
    setState({ busy: true, problem: null });
    try {
      handOut(await getBytes(`/sessions/${session_id}/bundle`), `${session_id}.html`);
      setState({ busy: false, problem: null });
    } catch (thrown) {
      setState({ busy: false, problem: problemOf(thrown).message });
    }
  };
  return (
    <>
      <p>
        <button type="button" className="button" disabled={state.busy} onClick={() => void keep()}>
          {state.busy ? "Making the file …" : "Export for an auditor"}
        </button>{" "}
        <span className="soft">one page with every event, which proves itself in any browser</span>
      </p>
      <Failure message={state.problem} />
    </>
  );
}

/** Downloads bytes that were already read: a plain link could not send the API key. */
function handOut(bytes: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
