import { type Clock, type DisposalStack, type Failpoint, ok, type Random, type Result } from "#core/values";
import { type EventLog, recordAct } from "#log";
import type { SealedValues } from "#log/redaction";
import type { WritConfig } from "#workspace";
import type { Inbox } from "./approvals/inbox.ts";
import { openInbox } from "./approvals/open-inbox.ts";
import type { ApprovalStore } from "./approvals/store/approval-store.ts";
import { createKeyring, type Keyring } from "./identity/keyring.ts";
import type { ApiKeyStore } from "./keys/store/api-key-store.ts";

export interface PeopleParts {
  /** Everything that waits for a person. */
  readonly inbox: Inbox;
  /** API keys: made, listed, revoked, recognised. */
  readonly keys: Keyring;
}

export interface PeopleNeeds {
  readonly store: ApprovalStore & ApiKeyStore;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly config: WritConfig;
  readonly caller: string;
  readonly failpoint: Failpoint;
  readonly redact: <T>(value: T) => T;
  readonly seals: SealedValues;
}

export async function openPeople(needs: PeopleNeeds, stack: DisposalStack): Promise<Result<PeopleParts>> {
  const { store, log, clock, random, config, caller } = needs;
  const ending = new AbortController();
  stack.defer(() => ending.abort());
  return ok({
    inbox: openInbox({ ...needs, ending: ending.signal }),
    keys: createKeyring({
      store,
      identity: config.identity,
      localCaller: caller,
      clock,
      random,
      record: (act) => recordAct(log, { name: "api-key", actor: act.actor }, [act]),
    }),
  });
}
