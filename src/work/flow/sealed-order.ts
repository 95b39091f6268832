import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { type OpenedValue, type SealedEntry, type SealedValues, sealedEntries } from "#log/redaction";

interface Sealing {
  readonly seals: SealedValues;
  readonly redact: <T>(value: T) => T;
}

/**
 * An order as everything after its hooks sees it: with a handle in place of what redaction takes out. The order's own
 * acts (its criteria, its turn, its one call) get the values; a model that passes a handle on needs a grant or a person.
 * A fork has the values of the order that it repeats.
 */
export async function sealOrder<T>(
  { seals, redact }: Sealing,
  order: T,
  session_id: string,
  parent: string | undefined,
): Promise<Result<{ readonly view: T; readonly sealed: readonly SealedEntry[] }>> {
  const adopted = parent === undefined ? ok(undefined) : await seals.adopt(order, parent, session_id);
  if (!adopted.ok) return adopted;
  const sealed = await seals.seal(order, { session_id, origin: { from: "order" } });
  if (!sealed.ok) return sealed;
  return ok({ view: redact(sealed.value.view), sealed: sealedEntries(sealed.value.seals) });
}

/** A part of an order as its author wrote it, for an act that the order itself asks for. */
export async function openOfOrder<T>(
  { seals }: Pick<Sealing, "seals">,
  part: T,
  what: string,
  session_id: string,
): Promise<Result<{ readonly value: T; readonly opened: readonly OpenedValue[] }>> {
  const opened = await seals.open(part, session_id);
  if (!opened.ok) return opened;
  const foreign = opened.value.opened.find(({ origin, kind }) => origin.from !== "order" && kind !== "literal");
  const missing = foreign?.handle ?? opened.value.unopened[0];
  return missing === undefined ? ok(opened.value) : err(notOpened(what, missing));
}

function notOpened(what: string, found: string) {
  return domainError(
    "SEALED_VALUE_REFUSED",
    `${what} was not started: ${found} stands for a value that redaction took out, and this session has none for it`,
    { details: { found, hint: "submit the order again; its values are kept for redaction.keep_sealed_hours" } },
  );
}
