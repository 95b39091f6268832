import { type AgentsParts, openAgents, settleDeadSessions } from "#agents";
import { openOnStack } from "#core/shapes";
import { type DisposalStack, ok, type Result } from "#core/values";
import { type EffectsParts, openEffects, openPrograms, type ProgramParts } from "#effects";
import { type GovernanceParts, openGovernance, openSecrets, type SecretParts } from "#governance";
import { openStore, openTelemetry, type StoreParts, type TelemetryParts } from "#operate";
import { openPeople, type PeopleParts } from "#people";
import { type LogParts, openLog, openMemory } from "#proof";
import { nextOrderId, openWork, type WorkParts } from "#work";
import { openWorkflows, type WorkflowsParts } from "#workflows";
import { openFolder, signingFilesOf, type WorkspaceParts } from "#workspace";
import { appRehearsals } from "../runs/rehearsals/app-rehearsals.ts";
import { gradeRehearsal } from "../work/rehearsals/grade-rehearsal.ts";
import type { Runtime, RuntimeOptions } from "./parts.ts";
import { approvalKinds } from "./tables/approvals.ts";
import { eventKinds } from "./tables/events.ts";

export { eventKinds };

type Opener<Needs, Parts> = (needs: Needs, stack: DisposalStack) => Promise<Result<Parts>>;

type Base = RuntimeOptions & WorkspaceParts & ProgramParts;
type Stored = Base & SecretParts & StoreParts;
type Logged = Stored & LogParts;
type Governed = Logged & PeopleParts & GovernanceParts;
type Acting = Governed & EffectsParts & AgentsParts;

/** An opener for each place, in the order of opening. A test or an embedding program replaces a line: `{ ...standard, log: memoryLog }`. */
export interface Wiring {
  readonly workspace: Opener<RuntimeOptions, WorkspaceParts>;
  readonly programs: Opener<RuntimeOptions & WorkspaceParts, ProgramParts>;
  readonly secrets: Opener<Base, SecretParts>;
  readonly store: Opener<Base & SecretParts, StoreParts>;
  readonly log: Opener<Stored, LogParts>;
  readonly people: Opener<Logged, PeopleParts>;
  readonly governance: Opener<Logged & PeopleParts, GovernanceParts>;
  readonly effects: Opener<Governed, EffectsParts>;
  readonly agents: Opener<Governed & EffectsParts, AgentsParts>;
  readonly workflows: Opener<Acting, WorkflowsParts>;
  readonly telemetry: Opener<Base & SecretParts, TelemetryParts>;
  readonly work: Opener<Acting & WorkflowsParts & TelemetryParts, WorkParts>;
}

/** The places as they are shipped; what one needs of a later one is handed in here. */
export const standard: Wiring = {
  workspace: openFolder,
  programs: async (needs, stack) => ok(openPrograms(needs, stack)),
  secrets: openSecrets,
  store: openStore,
  log: async (needs, stack) =>
    openLog(
      {
        ...needs,
        memory: await openMemory(needs),
        signingKeyFile: signingFilesOf(needs.root, needs.config).private,
        settleDead: (sessions, reader) => settleDeadSessions(sessions, reader, needs.store),
      },
      stack,
    ),
  people: openPeople,
  governance: openGovernance,
  effects: (needs, stack) =>
    openEffects({ ...needs, newWorkOrderId: () => nextOrderId(needs.store, needs.clock) }, stack),
  agents: (needs, stack) => openAgents({ ...needs, rehearsals: [...appRehearsals, gradeRehearsal] }, stack),
  workflows: openWorkflows,
  telemetry: openTelemetry,
  work: (needs, stack) => openWork({ ...needs, eventKinds, approvalKinds, strategies: needs.strategies ?? {} }, stack),
};

/** From a folder to a wired workspace. Where a place cannot be opened, those opened before it are closed again in reverse order. */
export function openRuntime(options: RuntimeOptions, wiring: Wiring = standard): Promise<Result<Runtime>> {
  return openOnStack((stack) => openPlaces(options, wiring, stack));
}

/** Opens every place in its order. One that fails is the answer; what was opened before it stands in the stack. */
async function openPlaces(
  options: RuntimeOptions,
  wiring: Wiring,
  stack: DisposalStack,
): Promise<Result<Acting & WorkflowsParts & TelemetryParts & WorkParts>> {
  const workspace = await wiring.workspace(options, stack);
  if (!workspace.ok) return workspace;
  const folder = { ...options, ...workspace.value };
  const programs = await wiring.programs(folder, stack);
  if (!programs.ok) return programs;
  const base = { ...folder, ...programs.value };
  const secrets = await wiring.secrets(base, stack);
  if (!secrets.ok) return secrets;
  const trusted = { ...base, ...secrets.value };
  const store = await wiring.store(trusted, stack);
  if (!store.ok) return store;
  const stored = { ...trusted, ...store.value };
  const log = await wiring.log(stored, stack);
  if (!log.ok) return log;
  const logged = { ...stored, ...log.value };
  const people = await wiring.people(logged, stack);
  if (!people.ok) return people;
  const known = { ...logged, ...people.value };
  const governance = await wiring.governance(known, stack);
  if (!governance.ok) return governance;
  const governed = { ...known, ...governance.value };
  const effects = await wiring.effects(governed, stack);
  if (!effects.ok) return effects;
  const able = { ...governed, ...effects.value };
  const agents = await wiring.agents(able, stack);
  if (!agents.ok) return agents;
  const acting = { ...able, ...agents.value };
  const workflows = await wiring.workflows(acting, stack);
  if (!workflows.ok) return workflows;
  const telemetry = await wiring.telemetry(trusted, stack);
  if (!telemetry.ok) return telemetry;
  const observed = { ...acting, ...workflows.value, ...telemetry.value };
  const work = await wiring.work(observed, stack);
  return work.ok ? ok({ ...observed, ...work.value }) : work;
}
