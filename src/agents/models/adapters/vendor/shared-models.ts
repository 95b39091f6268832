import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Connection, Vendor } from "../../provider-kind.ts";
import type { Wire } from "./wire.ts";

/** The model objects of a connection, each made once and used by every exchange. */
export interface SharedModels {
  /** The model for one exchange, whose signal must be the one that the call is made with. */
  forExchange(model: string, signal: AbortSignal, wire: Wire): Promise<LanguageModelV3>;
}

/**
 * A model object of the vendors' packages builds its schemas anew: 77 KiB and most of a millisecond. Each exchange is watched by
 * a wire of its own all the same: a request is known by the signal that it carries.
 */
export function sharedModels(vendor: Vendor, connection: Connection): SharedModels {
  const wires = new WeakMap<AbortSignal, Wire>();
  const models = new Map<string, Promise<LanguageModelV3>>();
  const fetch: typeof globalThis.fetch = (input, init) => {
    const wire = init?.signal ? wires.get(init.signal) : undefined;
    if (!wire) throw new Error(`${vendor.id} made a request that belongs to no exchange`);
    return wire.fetch(input, init);
  };
  return {
    forExchange(name, signal, wire) {
      wires.set(signal, wire);
      let model = models.get(name);
      if (!model) {
        model = vendor.connect(name, connection, fetch);
        models.set(name, model);
        model.catch(() => models.delete(name)); // every caller that awaits it gets the error; the next call tries again
      }
      return model;
    },
  };
}
