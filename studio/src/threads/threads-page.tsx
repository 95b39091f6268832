import { Link, useLocation } from "wouter";
import { send } from "../api/client.ts";
import type { ThreadInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Columns } from "../ui/columns.tsx";
import { Copy, shortId } from "../ui/copy.tsx";
import { Empty } from "../ui/notes.tsx";
import { count } from "../ui/numbers.ts";
import { Reading } from "../ui/reading.tsx";
import { StartForm } from "../ui/start-form.tsx";
import { Ago } from "../ui/time.tsx";
import { useRowKeys } from "../ui/use-row-keys.ts";

export function ThreadsPage({ live }: { readonly live: number }) {
  const read = useGet<{ threads: readonly ThreadInfo[] }>(`/threads?limit=200#${live}`);
  const [, go] = useLocation();
  return (
    <div className="page">
      <header>
        <h1>Threads</h1>
        <span className="grow" />
        <StartForm
          right="order.submit"
          label="First message of a new thread"
          placeholder="what you want, in your own words"
          button="Send"
          onStart={async (text) => {
            const { thread_id } = await send<{ thread_id: string }>("POST", "/threads", { text });
            go(`/threads/${thread_id}`);
          }}
        />
      </header>
      <Reading what="threads" read={read}>
        {({ threads }) => (threads.length === 0 ? <NoThread /> : <ThreadTable threads={threads} />)}
      </Reading>
    </div>
  );
}

function NoThread() {
  return (
    <Empty title="No thread yet" command="writ chat">
      A thread is a conversation with an agent, each message a session of its own. Begin one above, or in a terminal:
    </Empty>
  );
}

function ThreadTable({ threads }: { readonly threads: readonly ThreadInfo[] }) {
  const [, go] = useLocation();
  const { at, body } = useRowKeys(threads.length, (index) => go(`/threads/${threads[index]?.thread_id}`));
  return (
    <div className="panel">
      <table className="table listed">
        <Columns names={["thread", "last session", "#messages", "#spoken in"]} />
        <tbody ref={body}>
          {threads.map(({ thread_id, session_id, position, sent_at }, index) => (
            <tr key={thread_id} data-selected={index === at}>
              <td className="asked">
                <Link className="clip" href={`/threads/${thread_id}`}>
                  {thread_id}
                </Link>
              </td>
              <td>
                <Copy value={session_id} shown={shortId(session_id)} />
              </td>
              <td className="number">{count(position)}</td>
              <td className="number soft">
                <Ago ts={sent_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
