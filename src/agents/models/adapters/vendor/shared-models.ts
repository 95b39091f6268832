import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Connection, Vendor, WireApi } from "../../provider-kind.ts";
import type { Wire } from "./wire.ts";

/** The model objects of a connection, each made once and used by every exchange. */
export interface SharedModels {
  /** The model for one exchange, whose signal must be the one that the call is made with. */
  forExchange(
    exchange: { readonly model: string; readonly api: WireApi },
    signal: AbortSignal,
    wire: Wire,
  ): Promise<LanguageModelV3>;
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
    forExchange({ model: name, api }, signal, wire) {
      wires.set(signal, wire);
      const key = `${api} ${name}`;
      let model = models.get(key);
      if (!model) {
        model = vendor.connect(name, connection, fetch, api);
        models.set(key, model);
        model.catch(() => models.delete(key)); // every caller that awaits it gets the error; the next call tries again
      }
      return model;
    },
  };
}
