import { useState } from "react";
import { problemOf, send } from "../api/client.ts";
import { useWhyNot } from "../api/rights.ts";
import { visible } from "../ui/visible.ts";

/** The next message. While another is carried out it reaches the agent with its next step, or follows it. */
export function MessageForm({ thread_id, onSent }: { readonly thread_id: string; readonly onSent: () => void }) {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<readonly File[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const whyNot = useWhyNot("order.submit");
  const say = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const attachments = await Promise.all(files.map(inBase64));
      const body = { text, ...(attachments.length === 0 ? {} : { attachments }) };
      await send("POST", `/threads/${thread_id}/messages`, body);
      setText("");
      setFiles([]);
      onSent();
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
    setBusy(false);
  };
  if (whyNot !== null) return <p className="soft">{visible(whyNot)}</p>;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() && !isBusy) void say();
      }}
    >
      <textarea
        className="field wide"
        rows={3}
        aria-label="Next message"
        placeholder="what comes next, in your own words"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <input
          type="file"
          multiple
          aria-label="Pictures, PDF documents or texts that go with it"
          key={files.length === 0 ? "none" : "some"}
          onChange={(event) => setFiles([...(event.target.files ?? [])])}
        />
        <span className="grow" />
        {failure && (
          <span role="alert" className="state failed">
            {visible(failure)}
          </span>
        )}
        <button type="submit" className="button primary" disabled={isBusy}>
          {isBusy ? "Sending …" : "Send"}
        </button>
      </div>
    </form>
  );
}

async function inBase64(file: File): Promise<{ readonly name: string; readonly data: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return { name: file.name, data: btoa(letters) };
}
