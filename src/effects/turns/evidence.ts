import type { TurnCommittedEventV1, TurnResultV1 } from "#core/contracts";
import type { RealizedWrite } from "./realized.ts";

export type WriteEvidence = TurnCommittedEventV1["outputs"][number];
export type TurnEvidence = TurnResultV1["evidence"];

/** A realized write as the ledger keeps it. */
export function writeEvidence(write: RealizedWrite): WriteEvidence {
  switch (write.kind) {
    case "write":
      return {
        path: write.path,
        sha256: write.hash,
        bytes: write.size,
        change: write.existed ? "change" : "create",
        mode: write.mode,
      };
    case "delete":
      return { path: write.path, sha256: null, change: "delete" };
    case "folder":
      return { path: write.path, sha256: null, change: write.existed ? "mode" : "folder", mode: write.mode };
    case "refused":
      return { path: write.path.toWellFormed().slice(0, 8192), sha256: null, change: "refused", why: write.why };
  }
}
