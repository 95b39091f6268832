import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes that something still holds: what is only waiting to be collected counts for nobody, whenever the collector last came by. */
export function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
