import type { Client } from "pg";
import { messageOf } from "../../errors/domain-error.ts";
import { type Clock } from "../../values/clock.ts";
import type { Postgres } from "./connection.ts";

/**
 * Notifies other processes. A notification is a hint and may be lost: waiting processes also poll. Words that arrive
 * while a message is being sent go into the next one: `pg_notify` with every commit cut the rate of commits to a third.
 */
export interface Notifications {
  notify(words: Iterable<string>): void;
  close(): Promise<void>;
}

export interface NotificationOptions {
  readonly postgres: Postgres;
  /** Letters, digits and underscores. */
  readonly channel: string;
  readonly clock: Clock;
  /** Names this process; its own messages are skipped. */
  readonly sender: string;
  readonly onReceived: (words: readonly string[]) => void;
}

/** PostgreSQL allows 8,000 bytes a message. */
const mostBytes = 7_000;
const pauseMs = 5;
const reconnectMs = [100, 500, 2_000, 5_000] as const;

/**
 * A hint need not survive a power cut: with `synchronous_commit` off it waits for no disk and delays no other commit.
 */
const notifyWords = {
  name: "store/notify",
  text: "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)",
};

export function openNotifications(options: NotificationOptions): Notifications {
  const { postgres, channel, clock, sender, onReceived } = options;
  let waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  const state = { closed: false };
  let listener: Client | undefined;
  let cancelPause: (() => void) | undefined;

  const send = async (): Promise<void> => {
    while (waiting.size > 0 && !state.closed) {
      const words = waiting;
      waiting = new Set();
      try {
        for (const message of messagesOf(sender, words)) await postgres.rows(notifyWords, [channel, message]);
      } catch (thrown) {
        void messageOf(thrown); // the hint is lost; the other processes poll
      }
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
    sending = undefined;
  };

  const listen = async (attempt: number): Promise<void> => {
    let client: Client | undefined;
    try {
      const connected = await postgres.connect();
      client = connected;
      if (state.closed) return await client.end();
      listener = client;
      client.on("end", () => again(connected, 0));
      client.on("notification", ({ payload = "" }) => {
        const [from, ...words] = payload.split("\n");
        if (from !== sender) onReceived(words);
      });
      await client.query(`LISTEN ${channel}`);
    } catch (thrown) {
      void messageOf(thrown); // the database is away: until it is back, every process polls
      again(client, attempt);
      await client?.end().catch(messageOf); // a server may refuse LISTEN and keep the connection open, as a standby does
    }
  };
  /** Reconnects once per lost connection: it may be refused, break and end, and by then another has replaced it. */
  const again = (lost: Client | undefined, attempt: number): void => {
    if (lost !== listener) return;
    listener = undefined;
    if (state.closed) return;
    cancelPause = clock.after(reconnectMs[Math.min(attempt, 3)] ?? 5_000, () => void listen(attempt + 1));
  };
  // A pooler in transaction mode assigns another connection to each transaction, so a LISTEN would not last.
  if (!postgres.address.throughPooler) void listen(0);

  return {
    notify(words) {
      for (const word of words) waiting.add(word);
      if (waiting.size > 0) sending ??= send();
    },
    async close() {
      state.closed = true;
      cancelPause?.();
      await sending;
      await listener?.end();
    },
  };
}

/** The words in as few messages as fit. A word that fits into none is left out. */
function messagesOf(sender: string, words: Iterable<string>): readonly string[] {
  const messages: string[] = [];
  let message = sender;
  for (const word of words) {
    if (Buffer.byteLength(word) + Buffer.byteLength(sender) >= mostBytes) continue;
    if (Buffer.byteLength(message) + Buffer.byteLength(word) >= mostBytes) {
      messages.push(message);
      message = sender;
    }
    message += `\n${word}`;
  }
  return message === sender ? messages : [...messages, message];
}
