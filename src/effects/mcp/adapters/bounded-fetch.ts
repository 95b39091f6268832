/**
 * `fetch` whose answers end at a limit. A stream of events may go on for as long as it likes: there the limit counts from
 * one event to the next, and a stream ends at many times the limit: one that is listened to is opened again.
 */
export function boundedFetch(maxBytes: number, send: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const answer = await send(input, init);
    if (!answer.body) return answer;
    const events = (answer.headers.get("content-type") ?? "").includes("text/event-stream");
    return new Response(answer.body.pipeThrough(limit(maxBytes, events)), {
      status: answer.status,
      statusText: answer.statusText,
      headers: answer.headers,
    });
  };
}

const streamFactor = 16;

function limit(maxBytes: number, events: boolean): TransformStream<Uint8Array, Uint8Array> {
  let since = 0;
  let total = 0;
  const mostInStream = streamFactor * maxBytes;
  let last = 0;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of events ? chunk : []) {
        // An empty line ends an event.
        if (byte === 10 && last === 10) since = 0;
        else since += 1;
        if (byte !== 13) last = byte;
        if (since > maxBytes) break;
      }
      if (!events) since += chunk.length;
      total += chunk.length;
      if (since > maxBytes) controller.error(new Error(`the server sent more than ${maxBytes} bytes in one message`));
      else if (total > mostInStream)
        controller.error(new Error(`the server sent more than ${mostInStream} bytes in one stream`));
      else controller.enqueue(chunk);
    },
  });
}
