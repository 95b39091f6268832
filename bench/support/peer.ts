export interface Peer {
  request(): Promise<void>;
}

/** Peers are plain JavaScript in a package of their own; what is not installed is not type-checked. */
export async function peer(file: string, name: string): Promise<Peer> {
  const module = (await import(new URL(`../peers/${file}.mjs`, import.meta.url).href)) as Record<string, () => Peer>;
  const made = module[name]?.();
  if (!made) throw new Error(`bench/peers/${file}.mjs has no ${name}`);
  return made;
}
