import { type DoctorCheck, doctorCheck } from "../../shapes/check-up.ts";
import { shippedRegistry } from "../registry.ts";

/** A contract that cannot be loaded, or that accepts what no contract may accept, is worse than none. */
export const checkSchemas: DoctorCheck = doctorCheck({
  id: "schemas",
  title: "Contracts",
  run: async () => {
    const registry = shippedRegistry();
    const ids = registry.ids();
    const broken = ids.filter((id) => !registry.schema(id).ok || registry.validate(id, Symbol("junk")).ok);
    return broken.length === 0
      ? { health: "works", found: `${ids.length} shipped contracts load, and each refuses junk` }
      : {
          health: "broken",
          found: `these contracts do not refuse junk: ${broken.join(", ")}`,
          why: null,
          cause: "broken",
        };
  },
  remedy: () => "npm run build, in Writ's own folder",
});
