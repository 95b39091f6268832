import { domainError } from "#core/errors";
import { canonicalJson, err, type JsonObject, type JsonValue, ok, type Result } from "#core/values";
import {
  hideCutParts,
  markerFor,
  maskJson,
  type OpenedValue,
  openHandles,
  type SealedValue,
  type SealOrigin,
  type SecretPart,
} from "#log/redaction";
import { type DispatchDeps, redacted } from "./dispatch-deps.ts";

/** The arguments of a call, twice. */
export interface TwoViews {
  /** With handles: what the record, hooks, people and the model get. */
  readonly view: JsonObject;
  /** With the values: what the tool gets, and what is checked against its schema and the mandate. */
  readonly args: JsonObject;
  /** The values behind the handles of the view. */
  readonly opened: readonly OpenedValue[];
}

/**
 * Both views of arguments, in which the caller has already put handles in place of some values. What redaction finds
 * beside them is sealed for this call. Arguments with a marker, or a handle that this session has no value for, are
 * refused: a tool never runs with them in place of what they stand for.
 */
export async function viewsOf(
  args: JsonObject,
  call: { readonly tool: string; readonly call_id: string },
  deps: DispatchDeps,
): Promise<Result<TwoViews>> {
  const { seals } = deps;
  const { session_id } = deps.recorder;
  // Without a store nothing can be kept for later; this call gets its arguments as they came all the same.
  if (!seals) return ok({ view: redacted(args, deps) as JsonObject, args, opened: [] });
  const sealed = await seals.seal(args, { session_id, origin: { from: "call", ...call } });
  if (!sealed.ok) return sealed;
  // The log would take out of the view what only the whole of it gives away; then it is no longer the view of the call.
  const view = redacted(sealed.value.view, deps) as JsonObject;
  const opened = await seals.open(view, session_id);
  if (!opened.ok) return opened;
  const [unknown] = opened.value.unopened;
  if (unknown !== undefined) return err(notOpened(call.tool, unknown));
  const values = new Map(opened.value.opened.map((each) => [each.handle, each]));
  const before = openHandles(args, (handle) => values.get(handle));
  if (sealed.value.seals.length > 0 && canonicalJson(before) !== canonicalJson(opened.value.value))
    return err(notOpened(call.tool, sealed.value.seals[0]?.handle ?? ""));
  return ok({ view, args: opened.value.value, opened: opened.value.opened });
}

/** What a tool returned, as everybody else sees it: each secret a handle, bound to the file or the call that it came from. */
export async function sealResult(
  value: JsonValue,
  about: {
    readonly origin: SealOrigin;
    readonly opened: readonly OpenedValue[];
    readonly parts: readonly SecretPart[];
  },
  deps: DispatchDeps,
): Promise<{ readonly view: JsonValue; readonly seals: readonly SealedValue[] }> {
  const { seals, recorder } = deps;
  const marked = () =>
    redacted(
      maskJson(value, (text) => hideCutParts(text, about.parts, markerFor)),
      deps,
    );
  if (!seals) return { view: marked(), seals: [] };
  const sealed = await seals.seal(value, { session_id: recorder.session_id, literals: true, ...about });
  // Nothing could be kept: the model sees markers, and a call that needs what is behind them is refused.
  if (!sealed.ok) return { view: marked(), seals: [] };
  return { view: redacted(sealed.value.view, deps), seals: sealed.value.seals };
}

function notOpened(tool: string, found: string) {
  return domainError(
    "SEALED_VALUE_REFUSED",
    `"${tool}" was not called: ${found} in its arguments stands for a value that redaction took out, and this session has none for it; a tool never runs with such text in place of the value`,
    {
      details: {
        found,
        hint: "pass a handle on as it was shown, unchanged; read the file again to get fresh ones; a `[REDACTED:…]` marker holds no value: ask a person to put it there",
      },
    },
  );
}
