import { type DomainError, domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { type WriteEvidence, writeEvidence } from "../evidence.ts";
import { hasUnfinishedTurns, type LazyTurnService } from "../lazy-turn-service.ts";
import type { FileView } from "./file-view.ts";
import type { EndedOrder } from "./land-layer.ts";
import { writeOf } from "./layer-journal.ts";
import type { OrderLayers } from "./order-layers.ts";

/** An order that may write, as it begins or goes on. */
export interface GatheringOrder {
  readonly session_id: string;
  /** `each_turn`: it has no layer of its own, and every turn lands by itself. */
  readonly landing: "whole" | "each_turn";
  /** The session of the order that it is a child of. */
  readonly parent?: string;
  /** The turns, and the landings of orders below, that its record says wait in its layer. */
  readonly written: readonly string[];
  /** The session that it was forked from, and the turns of the past that it shares with it: their writes are its own too. */
  readonly forkedFrom?: { readonly session_id: string; readonly written: readonly string[] };
}

/** Where the writes of an order gather, and how they end: landed whole, set aside for a person, or dropped. */
export interface Landing {
  /** Finishes what dead processes had promised, before one of their sessions goes on. */
  recover(): Promise<Result<void>>;
  begin(order: GatheringOrder): Result<void>;
  /** The workspace as the order sees it. */
  viewOf(session_id: string): FileView;
  /** The number of paths that wait to land. */
  waiting(session_id: string): number;
  /** What waits to land, with what orders below and a fork's past left there; undefined where every turn lands by itself. */
  changes(session_id: string): readonly WriteEvidence[] | undefined;
  /** Whether what this turn, or this landing of an order below, wrote waits with the order. */
  holds(session_id: string, id: string): boolean;
  /** All or none, into the workspace or into the layer of the parent. `WRITE_CONFLICT` when a path was changed meanwhile. */
  land(order: EndedOrder): Promise<Result<void>>;
  /** Puts what the order wrote into quarantine. The answer is its id there; undefined when it wrote nothing. */
  setAside(order: EndedOrder, why: DomainError): Promise<Result<string | undefined>>;
  drop(order: EndedOrder, why: DomainError): Promise<Result<void>>;
  /** The order runs no longer in this process. */
  end(session_id: string): void;
}

export function createLanding(layers: OrderLayers, turns: LazyTurnService, root: string): Landing {
  const ownLayer = (session_id: string) => {
    const layer = layers.of(session_id);
    return layer?.session_id === session_id ? layer : undefined;
  };
  const layerOf = ({ recorder }: EndedOrder) => {
    const layer = ownLayer(recorder.session_id);
    return layer && layer.changes.length > 0 ? layer : undefined;
  };
  return {
    async recover() {
      if (!hasUnfinishedTurns(root)) return ok(undefined);
      const service = await turns.open();
      return service.ok ? service.value.recover() : service;
    },
    begin({ session_id, landing, parent, written, forkedFrom }) {
      if (landing === "each_turn") {
        layers.share(session_id, parent);
        return ok(undefined);
      }
      const layer = layers.open(session_id, parent);
      if (forkedFrom) layers.inherit(layer, forkedFrom.session_id, (id) => forkedFrom.written.includes(id));
      const gone = written.find((id) => !layer.has(id));
      return gone === undefined ? ok(undefined) : err(takenAway(gone));
    },
    viewOf: (session_id) => layers.viewOf(session_id),
    waiting: (session_id) => layers.of(session_id)?.changes.length ?? 0,
    changes: (session_id) => ownLayer(session_id)?.changes.map((change) => writeEvidence(writeOf(change))),
    holds: (session_id, id) => ownLayer(session_id)?.has(id) ?? false,
    async land(order) {
      const layer = layerOf(order);
      if (!layer) return ok(undefined);
      const service = await turns.open();
      if (!service.ok) return service;
      const { landLayer } = await import("./land-layer.ts");
      return landLayer(service.value.deps, order, layer);
    },
    async setAside(order, why) {
      const layer = layerOf(order);
      if (!layer) return ok(undefined);
      const service = await turns.open();
      if (!service.ok) return service;
      layers.close(layer.session_id);
      const { setLayerAside } = await import("./land-layer.ts");
      return setLayerAside(service.value.deps, order, layer, why);
    },
    async drop(order, why) {
      const layer = layerOf(order);
      if (!layer) return ok(undefined);
      const service = await turns.open();
      if (!service.ok) return service;
      layers.close(layer.session_id);
      const { dropLayer } = await import("./land-layer.ts");
      return dropLayer(service.value.deps, order, layer, why);
    },
    end: (session_id) => layers.close(session_id),
  };
}

function takenAway(turn_id: string): DomainError {
  return domainError(
    "WRITE_CONFLICT",
    `what the turn ${turn_id} of this order wrote is gone: it was released or dropped while the order stood still`,
    { details: { turn_id, hint: "submit the order anew under a number of its own" } },
  );
}
