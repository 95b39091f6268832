import { type Clock, canonicalJson, isoTime, type JsonValue, ok, type Random, type Result } from "#core/values";
import { type Redactor } from "#log";
import {
  handleFor,
  handlesIn,
  hideCutParts,
  hideParts,
  maskJson,
  type OpenedValue,
  openHandles,
  partsOfValues,
  type SealedValue,
  type SealedValues,
  type SealOrigin,
  tagLength,
  textsIn,
} from "#log/redaction";
import { base32, decrypt, encrypt, keyedBytes, type SealKeys, sealKeys } from "./cipher.ts";
import type { SealedRow, SealedValueStore } from "./sealed-value-store.ts";

export interface SealVaultOptions {
  readonly store: SealedValueStore;
  readonly redactor: Pick<Redactor, "sealJson" | "resemblances">;
  /** The workspace's key. */
  readonly key: string;
  readonly clock: Clock;
  readonly random: Random;
  /** How long a value can be opened. */
  readonly keepMs: number;
}

/** Sealed values in the store that the processes of a workspace share. */
export function createSealVault(options: SealVaultOptions): SealedValues {
  const { store, redactor, clock, random, keepMs } = options;
  const keys = sealKeys(options.key);

  return {
    async seal(value, { session_id, origin, literals = false, opened = [], parts = [] }) {
      const rows = new Map<string, SealedRow>();
      const seals = new Map<string, SealedValue>();
      const known = new Map(opened.map((each) => [each.value, each]));
      const expires_at = isoTime(clock.now() + keepMs);
      const values: { readonly kind: string; readonly value: JsonValue }[] = [];
      const mark = (kind: string, found: JsonValue): string => {
        const again = known.get(found);
        if (again) {
          seals.set(again.handle, again);
          return again.handle;
        }
        const tag = tagOf(keys, { session_id, kind, origin, value: found });
        const handle = handleFor(kind, tag);
        if (seals.has(handle)) return handle;
        const row = { session_id, tag, kind, origin: canonicalJson(origin), expires_at };
        rows.set(tag, encrypt(keys, row, found, random));
        values.push({ kind, value: found });
        seals.set(handle, { handle, kind, hash: hashOf(keys, session_id, kind, found), origin });
        return handle;
      };
      const given = partsOfValues(opened);
      const also = (text: string) => hideCutParts(hideParts(text, given, mark), parts, mark);
      const isPlain = given.length === 0 && parts.length === 0;
      const sealed = redactor.sealJson(value, { mark, literals, ...(isPlain ? {} : { also }) }).value;
      // What one place gave away stands elsewhere too: a password alone, in a note beside its address.
      const again = partsOfValues(values);
      const view = again.length === 0 ? sealed : maskJson(sealed, (text) => hideParts(text, again, mark));
      if (rows.size > 0) {
        const kept = await store.putSealed([...rows.values()]);
        if (!kept.ok) return kept;
      }
      return ok({ view, seals: [...seals.values()] });
    },

    async keep(value, { session_id, origin }) {
      const kind = "opaque";
      const tag = tagOf(keys, { session_id, kind, origin, value });
      const row = { session_id, tag, kind, origin: canonicalJson(origin), expires_at: isoTime(clock.now() + keepMs) };
      const kept = await store.putSealed([encrypt(keys, row, value, random)]);
      if (!kept.ok) return kept;
      return ok({ handle: handleFor(kind, tag), kind, hash: hashOf(keys, session_id, kind, value), origin });
    },

    async open(view, session_id) {
      const texts = textsIn(view);
      const resembling = new Set(texts.flatMap((text) => redactor.resemblances(text)));
      if (resembling.size === 0) return ok({ value: view, opened: [], unopened: [] });
      const found = await findOpened([...resembling], session_id);
      if (!found.ok) return found;
      const values = new Map(found.value.map((each) => [each.handle, each]));
      return ok({
        value: openHandles(view, (handle) => values.get(handle)),
        opened: found.value,
        unopened: [...resembling].filter((each) => !values.has(each)),
      });
    },

    async adopt(view, from_session, to_session) {
      const handles = textsIn(view).flatMap((text) => handlesIn(text).map(({ handle }) => handle));
      if (handles.length === 0) return ok(undefined);
      const rows = await rowsOf(handles, from_session);
      if (!rows.ok) return rows;
      const own = rows.value.flatMap(({ sealed: _, ...row }, at) => {
        const value = decrypt(keys, rows.value[at] as SealedRow);
        return value ? [encrypt(keys, { ...row, session_id: to_session }, value.value, random)] : [];
      });
      return own.length === 0 ? ok(undefined) : store.putSealed(own);
    },
  };

  async function rowsOf(handles: readonly string[], session_id: string): Promise<Result<readonly SealedRow[]>> {
    const tags = new Set(handles.flatMap((text) => handlesIn(text).map(({ tag }) => tag)));
    return tags.size === 0 ? ok([]) : store.findSealed(session_id, [...tags], isoTime(clock.now()));
  }

  async function findOpened(handles: readonly string[], session_id: string): Promise<Result<readonly OpenedValue[]>> {
    const rows = await rowsOf(handles, session_id);
    if (!rows.ok) return rows;
    return ok(
      rows.value.flatMap((row) => {
        const opened = decrypt(keys, row);
        const handle = handleFor(row.kind, row.tag);
        if (!opened || !handles.includes(handle)) return [];
        const hash = hashOf(keys, session_id, row.kind, opened.value);
        const origin = JSON.parse(row.origin) as SealOrigin;
        return [{ handle, kind: row.kind, hash, origin, value: opened.value }];
      }),
    );
  }
}

interface ToSeal {
  readonly session_id: string;
  readonly kind: string;
  readonly origin: SealOrigin;
  readonly value: JsonValue;
}

/**
 * The same value from the same place has the same handle, so that a record that is made again is the same. From another
 * place it has another one: a model that writes guesses cannot see that one of them is right.
 */
function tagOf(keys: SealKeys, { session_id, kind, origin, value }: ToSeal): string {
  return base32(keyedBytes(keys, ["handle", session_id, kind, placeOf(origin), value]), tagLength);
}

function hashOf(keys: SealKeys, session_id: string, kind: string, value: JsonValue): string {
  return keyedBytes(keys, ["value", session_id, kind, value]).toString("hex");
}

function placeOf(origin: SealOrigin): string {
  if (origin.from === "order") return "order";
  if (origin.from === "model") return `model ${origin.request_id}`;
  if (origin.from === "result" && origin.path !== undefined) return `file ${origin.path}`;
  return `${origin.from} ${origin.call_id}`;
}
