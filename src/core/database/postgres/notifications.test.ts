import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Proxy, startProxy } from "../../../../test/support/postgres/proxy.ts";
import { freshDatabase } from "../../../../test/support/postgres/shared-server.ts";
import { type ManualClock, manualClock } from "../../values/manual-clock.ts";
import { systemClock, systemRandom } from "../../values/system.ts";
import { postgresAddress } from "./address.ts";
import { openPostgres, type Postgres } from "./connection.ts";
import { type Notifications, openNotifications } from "./notifications.ts";

let direct: Postgres;
let proxied: Postgres;
let proxy: Proxy;
beforeAll(async () => {
  const address = postgresAddress(await freshDatabase());
  if (!address.ok) throw new Error(address.error.message);
  direct = await openPostgres(address.value, { clock: systemClock, random: systemRandom });
  proxy = await startProxy(address.value.port);
  proxied = await openPostgres({ ...address.value, port: proxy.port }, { clock: systemClock, random: systemRandom });
});
afterAll(async () => {
  await proxied.close();
  await proxy.close();
  await direct.close();
});

/**
 * What a listener did so far: how often it began to connect, the end of each of its connections, and what it received.
 */
interface Done {
  begun: number;
  readonly lives: Promise<unknown>[];
  readonly received: (readonly string[])[];
}

/** A listener on a manual clock. */
function listen(
  postgres: Postgres,
  channel: string,
): { readonly done: Done; readonly clock: ManualClock; readonly notifications: Notifications } {
  const clock = manualClock();
  const done: Done = { begun: 0, lives: [], received: [] };
  const connect = async (): Promise<Client> => {
    done.begun += 1;
    const client = await postgres.connect();
    done.lives.push(new Promise((resolve) => client.once("end", resolve)));
    return client;
  };
  const notifications = openNotifications({
    postgres: { ...postgres, connect },
    channel,
    clock,
    sender: "me",
    onReceived: (words) => done.received.push(words),
  });
  return { done, clock, notifications };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUp = systemClock.monotonic() + 10_000;
  while (!(await condition())) {
    if (systemClock.monotonic() > giveUp) throw new Error("it never came");
    await turnOfTheLoop();
  }
}

const isListening = (channel: string) => async () =>
  (
    await direct.rows({
      name: "",
      text: `SELECT FROM pg_stat_activity WHERE query = 'LISTEN ${channel}' AND state = 'idle'`,
    })
  ).length > 0;

test("a server that refuses LISTEN is asked again, and no connection to it is left open", async () => {
  const { done, clock, notifications } = listen(direct, "no name of a channel"); // refused, as by a standby, with the connection left open
  for (let attempt = 0; attempt < 3; attempt++) {
    await until(() => done.lives.length === attempt + 1);
    await done.lives[attempt];
    expect(done.begun).toBe(attempt + 1);
    clock.advance(5_000);
    expect(done.begun).toBe(attempt + 2);
  }
  await notifications.close();
});

test("a connection that breaks before it listens is replaced once, and so is its replacement", async () => {
  proxy.cut("LISTEN", "request");
  const { done, clock, notifications } = listen(proxied, "broken");
  await until(() => done.lives.length === 1);
  await done.lives[0];
  await turnOfTheLoop();
  clock.advance(60_000);
  expect(done.begun).toBe(2);
  await until(isListening("broken"));
  await direct.rows({
    name: "",
    text: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN broken'",
  });
  await done.lives[1];
  clock.advance(60_000);
  expect(done.begun).toBe(3);
  await until(isListening("broken"));
  await direct.rows({ name: "", text: "SELECT pg_notify('broken', E'you\\nword')" });
  await until(() => done.received.length > 0);
  expect(done.received).toEqual([["word"]]);
  await notifications.close();
});
