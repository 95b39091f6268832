import type { Event } from "../api/types.ts";
import { Json } from "../ui/json.tsx";
import { count } from "../ui/numbers.ts";
import { State } from "../ui/state.tsx";
import { visible } from "../ui/visible.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** The request that belongs to a model call, whichever of its events is selected. */
export function promptOf(event: Event, loaded: readonly Event[]): Of<"llm.request"> | undefined {
  if (event.type === "llm.request") return event;
  if (event.type !== "llm.response") return undefined;
  const { request_id } = event.payload;
  return loaded.find(
    (other): other is Of<"llm.request"> => other.type === "llm.request" && other.payload.request_id === request_id,
  );
}

/** The input of a model call: the context with the origin of each fragment, then each message as it was sent. */
export function Prompt({
  request,
  loaded,
}: {
  readonly request: Of<"llm.request">;
  readonly loaded: readonly Event[];
}) {
  const { payload } = request;
  const context = loaded.findLast(
    (other): other is Of<"attention.assembled"> =>
      other.type === "attention.assembled" &&
      other.seq < request.seq &&
      other.payload.context_hash === payload.context_hash,
  );
  const earlier = payload.message_count - payload.new_messages.length;
  return (
    <>
      <p className="soft">
        {visible(payload.model)} by {visible(payload.provider)} · call {payload.call} of the {visible(payload.role)}
        {payload.tools && payload.tools.length > 0 && <> · may call {payload.tools.map(visible).join(", ")}</>}
      </p>
      {context && context.payload.fragments.length > 0 && (
        <div className="origins">
          <h3>Context, by origin</h3>
          {context.payload.fragments.map((fragment) => (
            <div key={`${fragment.origin} ${fragment.hash}`} className="row">
              <span className="clip grow">{visible(fragment.origin)}</span>
              <State name={fragment.trust === "trusted" ? "done" : "doubt"} label={fragment.trust} />
              <span className="soft">{count(fragment.tokens)} tok</span>
            </div>
          ))}
        </div>
      )}
      {earlier > 0 && <p className="soft">{count(earlier)} earlier messages stand in the calls before this one.</p>}
      {payload.new_messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place
        <section key={index} className="message">
          <h3>{visible(message.role)}</h3>
          <Json value={message.content} />
        </section>
      ))}
    </>
  );
}
