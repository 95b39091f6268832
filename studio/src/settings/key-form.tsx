import { useState } from "react";
import { apiKey, useApiKey } from "../api/client.ts";

/** On one machine no key is needed. For a server of a team the key is kept as long as this tab lives. */
export function KeyForm() {
  const isKept = useApiKey() !== null;
  const [typed, setTyped] = useState("");
  const key = typed.trim();
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (key === "") return;
        apiKey.keep(key);
        setTyped("");
      }}
    >
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
      <button type="submit" className="button" disabled={key === ""}>
        Use this key
      </button>
      {isKept && (
        <button type="button" className="button danger" onClick={() => apiKey.forget()}>
          Forget the key
        </button>
      )}
      <span className="soft" role="status">
        {isKept ? "a key is kept for this tab" : "on one machine none is needed; kept for this tab only"}
      </span>
    </form>
  );
}
