import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

const mostMessages = 1_000;
const mostBytes = 4 * 1024 * 1024;

interface Sent {
  readonly stream: string;
  readonly number: number;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** The newest messages of one session, for a client whose stream broke: it names the last one that it got. */
export class RecentMessages implements EventStore {
  #messages: Sent[] = [];
  #bytes = 0;
  #count = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const bytes = JSON.stringify(message).length;
    this.#messages.push({ stream, number: this.#count, message, bytes });
    this.#bytes += bytes;
    while (this.#messages.length > mostMessages || (this.#bytes > mostBytes && this.#messages.length > 1))
      this.#bytes -= this.#messages.shift()?.bytes ?? 0;
    return `${stream}:${this.#count}`;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return /^(.+):\d+$/.exec(id)?.[1];
  }

  async replayEventsAfter(
    id: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const [, stream = "", number = "0"] = /^(.+):(\d+)$/.exec(id) ?? [];
    // The first event of a stream carries no message: it only gives the client an id to come back with.
    for (const sent of this.#messages)
      if (sent.stream === stream && sent.number > Number(number) && Object.keys(sent.message).length > 0)
        await send(`${stream}:${sent.number}`, sent.message);
    return stream;
  }
}
