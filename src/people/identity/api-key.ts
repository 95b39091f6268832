import { type Random, type Sha256, sha256 } from "#core/values";

/** An API key as its holder has it, once: `writkey_<id>_<secret>`. The id finds it, only the hash of the whole is kept. */
export interface NewApiKey {
  readonly key_id: string;
  readonly key: string;
}

const shape = /^writkey_([0-9a-z]{16})_[A-Za-z0-9_-]{43}$/;
// Crockford's alphabet, so that an id survives being read aloud.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

export function makeApiKey(random: Random): NewApiKey {
  const key_id = [...random.bytes(16)].map((byte) => alphabet[byte & 31]).join("");
  const secret = Buffer.from(random.bytes(32)).toString("base64url");
  return { key_id, key: `writkey_${key_id}_${secret}` };
}

/** The id in a key; undefined when it is no key of Writ's making. */
export function keyIdOf(key: string): string | undefined {
  return shape.exec(key)?.[1];
}

/** No salt and no slow hash: 256 random bits cannot be guessed from their hash. */
export function hashOfKey(key: string): Sha256 {
  return sha256(key);
}
