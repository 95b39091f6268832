import type { Answer } from "#core/values";

/** Keys of writes over the network, so that each happens once. */
export interface RequestKeyStore {
  /** Claims the key of a write over the network, so that it happens once however often it is asked for. */
  claimRequestKey(claim: RequestKeyClaim): Answer<RequestKeyClaimed>;
  finishRequestKey(answer: RequestKeyAnswer): Answer<void>;
  /** Nothing was made. Asked for again it is as before, under the same name; once it is old, `prune` lets go of it. */
  refuseRequestKey(name: string): Answer<void>;
}

/** A write over the network that may be repeated: claimed before it acts, finished with its answer. */
export interface RequestKeyClaim {
  /** Names caller and key, without telling them. */
  readonly name: string;
  readonly request_hash: string;
  /** What the request will make is called this; a repetition gets the name of the first. */
  readonly subject: string;
  readonly claimed_at: string;
}

export type RequestKeyClaimed =
  | { readonly state: "new" | "begun"; readonly subject: string; readonly claimed_at: string }
  | { readonly state: "done"; readonly status: number; readonly answer: string }
  | { readonly state: "different" };

export interface RequestKeyAnswer {
  readonly name: string;
  readonly status: number;
  readonly answer: string;
}
