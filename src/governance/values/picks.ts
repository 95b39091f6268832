import type { FieldValue, ResultSource } from "./result-source.ts";
import { choosingWords } from "./result-source.ts";
import { standsIn, type Words } from "./words.ts";

/**
 * Which values of declared fields the person's words choose: by a whole key of their record, or by a distinctive word of it.
 * A key or a word that leads to two different values of a field chooses neither. Only fields that the service or the owner
 * writes choose: what others write could choose itself.
 */
export class Picks {
  /** By field and key: the values that it leads to. */
  readonly #byKey = new Map<string, Set<string>>();
  /** By field and value: the keys that lead to it. */
  readonly #keys = new Map<string, Set<string>>();

  constructor(sources: readonly ResultSource[], person: Words) {
    for (const source of sources) this.#read(source, person);
  }

  has({ name, kind }: Pick<FieldValue, "name" | "kind">, value: string): boolean {
    const field = fieldId({ name, kind });
    const keys = this.#keys.get(`${field}\n${value}`) ?? [];
    return [...keys].some((key) => this.#byKey.get(`${field}\n${key}`)?.size === 1);
  }

  #read({ fields }: ResultSource, person: Words): void {
    const records = new Map<number, FieldValue[]>();
    for (const each of fields) {
      const record = records.get(each.record);
      if (record) record.push(each);
      else records.set(each.record, [each]);
    }
    for (const record of records.values()) {
      const chosenBy = record.map((field) => keysIn(field, person));
      for (const chosen of record) {
        const field = fieldId(chosen);
        for (const [index, keys] of chosenBy.entries()) {
          // A value does not choose itself, nor do its siblings of a list.
          if (record[index]?.name === chosen.name) continue;
          for (const key of keys) {
            add(this.#byKey, `${field}\n${key}`, chosen.value);
            add(this.#keys, `${field}\n${chosen.value}`, key);
          }
        }
      }
    }
  }
}

function keysIn({ from, value }: FieldValue, person: Words): readonly string[] {
  if (from === "fact") return [];
  const whole = value.length >= 3 && !/^\d{1,3}$/.test(value) && standsIn(person.text, value) ? [value] : [];
  return [...whole, ...choosingWords(value).filter((word) => person.words.has(word))];
}

/** Fields of one name and kind are one field, whichever tool returned them. */
function fieldId({ name, kind = "" }: { readonly name: string; readonly kind?: string | undefined }): string {
  return `${kind}\n${name}`;
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}
