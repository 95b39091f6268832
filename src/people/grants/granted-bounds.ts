import type { WorkOrder } from "#core/contracts";

/** One document by which an order was granted, as far as it bounds what the order may do. An absent list bounds nothing. */
export interface GrantedBound {
  readonly document: string;
  /** The place in it, before the name of the list. */
  readonly path: string;
  readonly tools?: readonly string[];
  readonly files?: readonly string[];
  /** What may be read besides the files. */
  readonly read_files?: readonly string[];
  readonly hosts?: readonly string[];
}

/** The ranges of an order's links, and the bounds among the rights by which it was submitted. */
export function boundsOfGrants(
  { authorization }: WorkOrder,
  caller: string,
  grants: readonly string[],
): readonly GrantedBound[] {
  const ranges = (authorization?.chain ?? []).flatMap(({ from, to, range }, index) => {
    if (!range) return [];
    const { tools, files, read_files = [], hosts } = range;
    const link = { document: `link of ${from} to ${to}`, path: `authorization.chain[${index}].range.` };
    return [{ ...link, tools, files, read_files, ...(hosts ? { hosts } : {}) }];
  });
  const of = (kind: string) =>
    grants.filter((right) => right.startsWith(`${kind}:`)).map((right) => right.slice(kind.length + 1));
  const [files, read_files, hosts] = [of("path"), of("read"), of("host")];
  const isBounded = files.length + read_files.length > 0 && !files.includes("**");
  const rights = {
    document: `rights of ${caller}`,
    path: "",
    ...(isBounded ? { files: files.filter(Boolean), read_files } : {}),
    ...(hosts.length > 0 && !hosts.includes("*") ? { hosts: hosts.filter(Boolean) } : {}),
  };
  return "files" in rights || "hosts" in rights ? [...ranges, rights] : ranges;
}
