import { useEffect, useState } from "react";
import { Link } from "wouter";
import { follow } from "../api/live.ts";
import type { StreamPartV1, ThreadMessage, ThreadV1 } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { stateOfSession } from "../session/state-of-session.ts";
import { Copy, shortId } from "../ui/copy.tsx";
import { count } from "../ui/numbers.ts";
import { Panel } from "../ui/panel.tsx";
import { ReadingPage } from "../ui/reading.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { type LiveAnswer, nothingYet, withPart } from "./live-answer.ts";
import { MessageForm } from "./message-form.tsx";
import "./thread.css";

/** A conversation: what was asked and answered, from the records, and what is said just now. */
export function ThreadPage({ thread_id }: { readonly thread_id: string }) {
  const read = useGet<ThreadV1>(`/threads/${thread_id}`);
  const live = useLive(thread_id, read.again);
  return (
    <ReadingPage what="the thread" read={read}>
      {(thread) => (
        <div className="page">
          <header>
            <h1>Thread</h1>
            <Copy value={thread_id} shown={thread_id} />
            <span className="grow" />
            <span className="soft" role="status">
              {count(thread.length)} {thread.length === 1 ? "message" : "messages"}
            </span>
          </header>
          {thread.continues && (
            <p className="soft">
              It goes on after <Link href={`/sessions/${thread.continues}`}>session {shortId(thread.continues)}</Link>.
            </p>
          )}
          <ol className="thread" aria-label="Messages">
            {thread.messages.map((message) => (
              <li key={message.message_id}>
                <Exchange message={message} live={message.state === "running" ? live : null} />
              </li>
            ))}
          </ol>
          <MessageForm thread_id={thread_id} onSent={read.again} />
        </div>
      )}
    </ReadingPage>
  );
}

/** Follows the thread from now on; what has ended is read again from the record. */
function useLive(thread_id: string, again: () => void): LiveAnswer {
  const [live, setLive] = useState(nothingYet);
  useEffect(
    () =>
      follow(`/threads/${thread_id}/stream`, {
        onMessage({ event, data }) {
          if (event !== "part") return;
          const part = data as StreamPartV1;
          setLive((before) => withPart(before, part));
          if (part.type === "end" || part.type === "message") again();
        },
      }),
    [thread_id, again],
  );
  return live;
}

function Exchange({ message, live }: { readonly message: ThreadMessage; readonly live: LiveAnswer | null }) {
  const { text, answer, by, session_id, sent_at, attachments = [], error } = message;
  return (
    <Panel
      title={by === undefined ? "asked" : visible(by)}
      about={<Ago ts={sent_at} />}
      right={
        <>
          <State {...stateOf(message)} />
          {session_id && <Link href={`/sessions/${session_id}`}>session {shortId(session_id)}</Link>}
        </>
      }
    >
      <div className="body">
        <p className="said">{text === null ? <span className="faint">waits for its turn</span> : visible(text)}</p>
        {attachments.map(({ sha256, name, media_type, bytes }) => (
          <p key={sha256} className="soft">
            {visible(name)} · {media_type} · {count(bytes)} bytes
          </p>
        ))}
        {answer !== null && <p className="said answer">{visible(answer)}</p>}
        {error && (
          <p className="note bad">
            {error.code}: {visible(error.message)}
          </p>
        )}
        {live && <Live live={live} />}
      </div>
    </Panel>
  );
}

function Live({ live: { text, reasoning, steps, todo, approval } }: { readonly live: LiveAnswer }) {
  return (
    <div aria-live="polite">
      {reasoning !== "" && <p className="said faint">{visible(reasoning)}</p>}
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
        <p key={index} className="soft clip">
          {visible(step)}
        </p>
      ))}
      {todo.map((item) => (
        <p key={item.text} className="soft">
          [{visible(item.state)}] {visible(item.text)}
        </p>
      ))}
      {approval && (
        <p>
          <Link href={`/inbox/${approval.id}`}>{visible(approval.title)}</Link>
        </p>
      )}
      {text !== "" && <p className="said answer">{visible(text)}</p>}
    </div>
  );
}

function stateOf({ state, status }: ThreadMessage) {
  switch (state) {
    case "waiting":
      return { name: "waiting", label: "waits" } as const;
    case "running":
      return { name: "running", label: "running" } as const;
    case "taken":
      return { name: "done", label: "reached the agent at work" } as const;
    case "ended":
      return stateOfSession({ closed: true, ok: status === "success", status });
  }
}
