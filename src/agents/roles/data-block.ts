import { sha256 } from "#core/values";

/** Hex digits of a mark: 80 bits, so that no author can make a text that contains its own. */
const markLength = 20;

/** A text that an agent is handed as data, between marks that the text cannot imitate. The same text gives the same bytes. */
export function dataBlock(name: string, text: string): string {
  for (let attempt = 0; ; attempt++) {
    const code = sha256(`writ data ${attempt}\n${name}\n${text}`).slice(0, markLength);
    if (!text.includes(code)) return `[[begin ${code} | ${name}]]\n${text}\n[[end ${code}]]`;
  }
}
