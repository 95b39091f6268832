import { openNotifications, type Postgres } from "#core/database";
import { type Clock, type IdSource, type RunId, sha256 } from "#core/values";
import { createWakeUp, type WakeUp } from "../../wake-up.ts";

export interface SharedWakeUp extends WakeUp {
  close(): Promise<void>;
}

/** Notifies this process and, by LISTEN/NOTIFY, every other process of the tenant. Loops still poll in case one is lost. */
export function postgresWakeUp(options: {
  readonly postgres: Postgres;
  readonly tenant?: string;
  readonly clock: Clock;
  readonly ids: IdSource;
}): SharedWakeUp {
  const { postgres, clock, ids } = options;
  const local = createWakeUp(clock);
  const tenant = options.tenant ?? postgres.address.tenant;
  const notifications = openNotifications({
    postgres,
    clock,
    channel: `writ_${sha256(tenant).slice(0, 32)}`,
    sender: ids.sortable("NTF"),
    onReceived: (words) => local.notify(wakeOf(words)),
  });
  return {
    listen: (topics) => local.listen(topics),
    notify(wake) {
      local.notify(wake);
      notifications.notify([
        ...[...wake.capabilities].map((capability) => `c${capability}`),
        ...[...wake.apps].map((app) => `a${app}`),
        ...[...wake.runs].map((run) => `r${run}`),
      ]);
    },
    close: () => notifications.close(),
  };
}

function wakeOf(words: readonly string[]) {
  const of = (kind: string): readonly string[] => words.filter((word) => word[0] === kind).map((word) => word.slice(1));
  return { capabilities: new Set(of("c")), apps: new Set(of("a")), runs: new Set(of("r") as readonly RunId[]) };
}
