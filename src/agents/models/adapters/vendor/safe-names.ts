import { sha256 } from "#core/values";

// What all vendors accept: Gemini asks for a letter or _ first and 63 characters, OpenAI for no dot.
const accepted = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

/**
 * Our tool names in the vendors' alphabet and back. `fs.read` is sent as `fs__read`; a name for which that would not
 * lead back (`a__b`, `a_.b`, a blank, too long) gets a part of its hash. Built over every name of one request, so that
 * no two of them can meet.
 */
export class SafeNames {
  readonly #toVendor = new Map<string, string>();
  readonly #toOurs = new Map<string, string>();

  constructor(names: Iterable<string>) {
    for (const name of [...new Set(names)].toSorted()) {
      let spelled = spell(name, 0);
      for (let length = 8; this.#toOurs.has(spelled); length += 8) spelled = spell(name, length);
      this.#toVendor.set(name, spelled);
      this.#toOurs.set(spelled, name);
    }
  }

  toVendor(name: string): string {
    return this.#toVendor.get(name) ?? spell(name, 0);
  }

  /** A name that was never offered comes back as it is: dispatch will not find it, and says so. */
  toOurs(name: string): string {
    return this.#toOurs.get(name) ?? name;
  }
}

function spell(name: string, hashLength: number): string {
  const dotted = name.replaceAll(".", "__");
  if (hashLength === 0 && accepted.test(dotted) && dotted.replaceAll("__", ".") === name) return dotted;
  const letters = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replace(/^(?=[^A-Za-z_])/, "_");
  const hash = sha256(name).slice(0, Math.min(56, hashLength || 8));
  return `${letters.slice(0, 62 - hash.length)}_${hash}`;
}

/** The id of a call as every vendor takes it, also one that another vendor gave. */
export function safeCallId(id: string): string {
  return /^[A-Za-z0-9_-]{1,40}$/.test(id) ? id : `call_${sha256(id).slice(0, 24)}`;
}
