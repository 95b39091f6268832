/** A JSON string's short escapes. */
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/**
 * Reads a JSON object as it arrives and gives out the text of one of its own fields. People who watch see that field and never the
 * braces around it; text before the object, such as a fence, is passed over. What is not such an object gives nothing.
 */
export class FieldStream {
  readonly #field: string;
  #depth = 0;
  /** The string that is being read: a key or a value of the object, and whether it is the one to give out. */
  #string: { text: string; isKey: boolean; isShown: boolean } | undefined;
  #escape: string | undefined;
  #expectsKey = false;
  #key: string | undefined;

  constructor(field: string) {
    this.#field = field;
  }

  /** The part of the field that this piece of the answer holds. */
  push(piece: string): string {
    let shown = "";
    for (const char of piece) shown += this.#string ? this.#inString(char) : this.#outside(char);
    return shown;
  }

  #outside(char: string): string {
    if (char === "{" || char === "[") {
      this.#depth += 1;
      this.#expectsKey = char === "{" && this.#depth === 1;
    } else if (this.#depth === 0) return "";
    else if (char === "}" || char === "]") this.#depth -= 1;
    else if (char === "," && this.#depth === 1) {
      this.#expectsKey = true;
      this.#key = undefined;
    } else if (char === '"') {
      const isKey = this.#depth === 1 && this.#expectsKey;
      this.#expectsKey = false;
      this.#string = { text: "", isKey, isShown: !isKey && this.#depth === 1 && this.#key === this.#field };
    }
    return "";
  }

  #inString(char: string): string {
    const string = this.#string;
    if (!string) return "";
    if (this.#escape !== undefined) return this.#escaped(char);
    if (char === "\\") {
      this.#escape = "";
      return "";
    }
    if (char !== '"') return this.#add(char);
    if (string.isKey) this.#key = string.text;
    this.#string = undefined;
    return "";
  }

  #escaped(char: string): string {
    const code = `${this.#escape ?? ""}${char}`;
    if (code.startsWith("u") && code.length < 5) {
      this.#escape = code;
      return "";
    }
    this.#escape = undefined;
    if (code.startsWith("u")) return this.#add(String.fromCharCode(Number.parseInt(code.slice(1), 16)));
    return this.#add(escapes[code] ?? code);
  }

  #add(text: string): string {
    const string = this.#string;
    if (string?.isKey) string.text += text;
    return string?.isShown ? text : "";
  }
}
