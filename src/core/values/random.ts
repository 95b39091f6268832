/** Randomness is passed in, so that a test that runs twice prints the same log. */
export interface Random {
  /** `count` random bytes. */
  bytes(count: number): Uint8Array;
}

/** A number in [0, 1), for jitter. */
export function fraction(random: Random): number {
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
  return (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32;
}

/** Repeatable bytes from a seed (splitmix32), for tests and simulations. Never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  return {
    bytes: (count) => {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; at++) bytes[at] = next();
      return bytes;
    },
  };
}
