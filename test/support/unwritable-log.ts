import { domainError } from "#core/errors";
import { err, ok } from "#core/values";
import type { EventInput } from "#log";
import type { Wiring } from "../../src/main/open-runtime.ts";

/** A log that cannot write events of one type, as a disk that fills up at that moment. */
export function unwritableLog(type: string): (shipped: Wiring) => Partial<Wiring> {
  const refused = err(domainError("LEDGER_UNAVAILABLE", `no ${type} can be written`));
  const guarded = <Session extends object>(session: Session): Session =>
    new Proxy(session, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const bound = value.bind(target) as (...args: unknown[]) => unknown;
        if (name === "append") return async (event: EventInput) => (event.type === type ? refused : bound(event));
        return name === "stage" ? (event: EventInput) => (event.type === type ? refused : bound(event)) : bound;
      },
    });
  return (shipped) => ({
    async log(needs, stack) {
      const opened = await shipped.log(needs, stack);
      if (!opened.ok) return opened;
      const log = new Proxy(opened.value.log, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== "function") return value;
          if (name !== "create") return value.bind(target) as unknown;
          return async (how: Parameters<typeof target.create>[0]) => {
            const created = await target.create(how);
            return created.ok ? ok(guarded(created.value)) : created;
          };
        },
      });
      return ok({ ...opened.value, log });
    },
  });
}
