import { useContext, useState } from "react";
import { problemOf, signIn } from "../api/client.ts";
import { Me } from "../api/rights.ts";
import { Failure } from "../ui/failure.tsx";

/** On one machine no key is needed. For a server of a team a sign-in holds in every tab of this browser. */
export function KeyForm() {
  const me = useContext(Me);
  const [typed, setTyped] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const key = typed.trim();
  const act = async (what: () => Promise<void>) => {
    try {
      await what();
      setTyped("");
      setFailure(null);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (key !== "") void act(() => signIn.with(key));
      }}
    >
      <span className="row">
        <input
          className="field"
          type="password"
          autoComplete="off"
          size={40}
          placeholder="API key, for a server of a team"
          aria-label="API key"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button type="submit" className="button primary" disabled={key === ""}>
          Sign in
        </button>
        {me?.authenticated_by === "api_key" && (
          <button type="button" className="button" onClick={() => void act(signIn.out)}>
            Sign out
          </button>
        )}
        <span className="soft" role="status">
          {me?.authenticated_by === "api_key"
            ? "signed in, in every tab of this browser"
            : "on one machine none is needed; it holds in every tab of this browser"}
        </span>
      </span>
      <Failure message={failure} />
    </form>
  );
}
