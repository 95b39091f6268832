export interface Peer {
  request(): Promise<void>;
}

/** Peers are plain JavaScript in a package of their own; what is not installed is not type-checked. */
export async function peer(file: string, name: string): Promise<Peer> {
  return (await maker<() => Peer>(file, name))();
}

/** The same over a model server: it is given the words of each task. */
export async function peerOver(file: string, name: string, baseUrl: string): Promise<(task: string) => Promise<void>> {
  return (await maker<(baseUrl: string) => (task: string) => Promise<void>>(file, name))(baseUrl);
}

async function maker<Make>(file: string, name: string): Promise<Make> {
  const module = (await import(new URL(`../peers/${file}.mjs`, import.meta.url).href)) as Record<string, Make>;
  const make = module[name];
  if (!make) throw new Error(`bench/peers/${file}.mjs has no ${name}`);
  return make;
}
