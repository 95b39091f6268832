import { join } from "node:path";
import type { DomainError } from "#core/errors";
import { err, isoTime, noFailpoints, ok, type Result } from "#core/values";
import type { Recorder } from "#log";
import { commitTurn } from "../commit/commit-turn.ts";
import { ownerOf } from "../commit/owner-of.ts";
import { writeEvidence } from "../evidence.ts";
import { keepLayerInQuarantine, type Quarantined } from "../quarantine/quarantine.ts";
import type { TurnDeps } from "../turn.ts";
import { type LayerChange, objectsOf, writeOf } from "./layer-journal.ts";
import { OrderLayer } from "./order-layer.ts";
import { removeLayer } from "./order-layers.ts";

export interface EndedOrder {
  readonly work_order_id: string;
  readonly recorder: Recorder;
}

/** All or none, into what lies below the layer: the workspace, or the layer of the parent. */
export async function landLayer(deps: TurnDeps, order: EndedOrder, layer: OrderLayer): Promise<Result<void>> {
  const { work_order_id, recorder } = order;
  const { below, session_id } = layer;
  const { changes } = layer;
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const landing_id = deps.ids.sortable("LND");
  const parent = below instanceof OrderLayer ? below.session_id : undefined;
  const writes = changes.map(writeOf);
  const turnFolder = deps.store.begin({
    turn_id: landing_id,
    turn_number: 0,
    session_id,
    slot: null,
    ...(parent === undefined ? {} : { layer: parent }),
  });
  const payload = { work_order_id, landing_id, into: parent ?? "workspace", outputs: writes.map(writeEvidence) };
  const landed = await commitTurn({
    into: below,
    store: deps.store,
    recorder,
    turnFolder,
    turnId: landing_id,
    from: (path) => join(objectsOf(layer.folder), objectOf(byPath.get(path))),
    keep: true,
    writes,
    owner: ownerOf(deps.root),
    bases: { of: (path) => byPath.get(path)?.base ?? { kind: "absent" } },
    conflict: () => undefined,
    event: { type: "order.landed", payload },
    actor: "flow",
    failpoint: (name) => (deps.failpoint ?? noFailpoints)(name.replace(/^turn\.commit/, "order.land")),
    finish: () => removeLayer(deps.root, session_id),
  });
  if (landed.ok) return landed;
  // A promised landing is finished by the next process; any other has touched nothing.
  if (landed.error.details["promised"] !== true) deps.store.end(turnFolder);
  if (landed.error.code !== "WRITE_CONFLICT") return landed;
  const message = landed.error.message.replace(/ while the turn .*$/s, " since the order first changed it");
  return err({ ...landed.error, message: `${message}; what the order wrote waits in quarantine` });
}

/** Puts the layer into quarantine. The answer is its id there. */
export async function setLayerAside(
  deps: TurnDeps,
  order: EndedOrder,
  layer: OrderLayer,
  why: DomainError,
): Promise<Result<string>> {
  const about = describe(deps, order, layer, why);
  keepLayerInQuarantine(deps.store.quarantine, layer.folder, about);
  deps.failpoint?.("order.quarantined");
  const recorded = await recordEnd(order, about, "kept");
  return recorded.ok ? ok(layer.session_id) : recorded;
}

export async function dropLayer(
  deps: TurnDeps,
  order: EndedOrder,
  layer: OrderLayer,
  why: DomainError,
): Promise<Result<void>> {
  const recorded = await recordEnd(order, describe(deps, order, layer, why), "dropped");
  if (!recorded.ok) return recorded;
  removeLayer(deps.root, layer.session_id);
  return ok(undefined);
}

function describe(deps: TurnDeps, order: EndedOrder, layer: OrderLayer, why: DomainError): Quarantined {
  const writes = layer.changes.map(writeOf);
  return {
    turn_id: layer.session_id,
    turn_number: 0,
    session_id: layer.session_id,
    package_id: "PKG-WRIT-ORDER",
    at: isoTime(deps.clock.now()),
    code: why.code,
    message: why.message,
    declared: [],
    writes,
    bytes: writes.reduce((sum, write) => sum + (write.kind === "write" ? write.size : 0), 0),
    work_order_id: order.work_order_id,
  };
}

/** The most writes that the event lists; the quarantine holds all of them. */
const maxListedWrites = 1000;

function recordEnd({ recorder }: EndedOrder, about: Quarantined, action: "kept" | "dropped"): Promise<Result<unknown>> {
  return recorder.append({
    type: "order.quarantined",
    actor: "flow",
    payload: {
      work_order_id: about.work_order_id ?? "",
      quarantine_id: about.turn_id,
      action,
      code: about.code,
      outputs: about.writes.slice(0, maxListedWrites).map(writeEvidence),
      bytes: about.bytes,
    },
  });
}

function objectOf(change: LayerChange | undefined): string {
  return change?.kind === "write" ? change.object : "none";
}
