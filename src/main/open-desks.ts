import { ok, type Result } from "#core/values";
import { hasUnfinishedTurns, lazyTurnService, type TurnDeskSource } from "#effects";
import type { GateService } from "#governance";
import { openPackages, type Packages } from "#governance";
import type { EventLog } from "#log";
import type { Inbox } from "#people";
import { openInbox } from "#people";
import { createIntake, nextOrderId, type OpenIntake, type OrderedTurns, orderedTurns } from "#work";
import type { Foundations } from "./foundations.ts";
import { openLog } from "./open-log.ts";

/** Where things are recorded, judged and carried out: the log, the intake, packages and gates, turns. */
export interface Desks {
  readonly log: EventLog;
  /** Settled when the budgets of dead sessions are. */
  readonly ready: () => Promise<Result<void>>;
  readonly intake: OpenIntake;
  /** Everything that waits for a person. */
  readonly inbox: Inbox;
  readonly packages: Packages;
  readonly gates: GateService;
  readonly turns: TurnDeskSource;
  /** Turns that have work orders of their own. */
  readonly ordered: OrderedTurns;
  close(): Promise<Result<void>>;
}

export async function openDesks(base: Foundations): Promise<Result<Desks>> {
  const { root, config, schemas, redactor, clock, random, ids, store, postgres, caller, failpoint } = base;
  const opened = openLog({ root, config, schemas, redactor, clock, ids, store, postgres });
  if (!opened.ok) return opened;
  const { log, ready, stop } = opened.value;
  const intake = createIntake(log);
  const packages = await openPackages({ root, clock, random, config });
  if (!packages.ok) return packages;
  const turns = lazyTurnService({
    root,
    config,
    schemas,
    log,
    clock,
    random,
    caller,
    store,
  });
  const ordered = orderedTurns({
    config,
    schemas,
    log,
    clock,
    openDesk: turns.open,
    nextOrderId: () => nextOrderId(store, clock),
    packageCapabilities: (package_id) => packages.value.installer.capabilitiesOf(package_id),
  });
  if (hasUnfinishedTurns(root)) {
    const recovered = await turns.open();
    if (!recovered.ok) return recovered;
  }
  return ok({
    log,
    ready,
    intake,
    inbox: openInbox({ store, log, clock, config, failpoint, redact: base.redact }),
    packages: packages.value,
    gates: packages.value.gates(log),
    turns,
    ordered,
    async close() {
      stop();
      await turns.close();
      const refused = await intake.close();
      const shut = await log.shutdown();
      return refused.ok ? shut : refused;
    },
  });
}
