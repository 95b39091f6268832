// Rebuilds a lost store and kills itself when the tables and most of the rows are written, before the transaction ends.
import { systemClock } from "../../../dist/core-values/index.js";
import { rebuildSharedStore } from "../../../dist/operate/index.js";

const { file } = JSON.parse(process.argv[2]);
const recalled = {
  numbers: new Map([["20261115", 7]]),
  shares: [],
  orders: [],
  halts: [{ session_id: null, by: "nobody", reason: "half a store", halted_at: "2026-11-15T00:00:00.000Z" }],
  toolPins: [],
  apiKeys: [],
  get approvals() {
    process.kill(process.pid, "SIGKILL");
    return [];
  },
};
rebuildSharedStore(file, systemClock, recalled);
