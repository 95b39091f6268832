/** Sealed values: redacted spans that an effect needs again, behind handles. A door of its own: only what acts uses it. */

export {
  type OpenedValue,
  type OpenedView,
  type SealedEntry,
  type SealedValue,
  type SealedValues,
  type SealedView,
  type SealOrigin,
  type SealRequest,
  type SecretPart,
  sealedEntries,
} from "../sealed-values.ts";
export { handlesIn, openHandles, textsIn } from "./handles.ts";
export { everyHandle, handleFor, markerFor, tagLength } from "./marker.ts";
export { maskJson, maskText } from "./mask-opened.ts";
export { hideCutParts, hideParts, markLines, partsOfValues, secretParts } from "./secret-parts.ts";
