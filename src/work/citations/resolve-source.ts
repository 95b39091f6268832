/** The spellings of a path or a tool that name the same thing: how models write what they read. */
export function resolveSource(source: string, known: readonly string[]): string | undefined {
  if (known.includes(source)) return source;
  const plain = plainName(source);
  const ways: readonly ((name: string) => boolean)[] = [
    (name) => name === plain,
    (name) => name.toLowerCase() === plain.toLowerCase(),
    (name) => name === plain.replaceAll("__", "."), // the name that a tool has for its vendor
    (name) => name.toLowerCase().endsWith(`/${plain.toLowerCase()}`),
    (name) => plain.toLowerCase().endsWith(`/${name.toLowerCase()}`) && name.includes("/"),
  ];
  for (const isSame of ways) {
    const named = known.filter(isSame);
    if (named.length > 1) return undefined; // it may mean either
    if (named.length === 1) return named[0];
  }
  return undefined;
}

/** Without what stands around a path: marks, a scheme, a place behind it, `./` before it. */
function plainName(source: string): string {
  return source
    .trim()
    .replaceAll(/^[`"'<]+|[`"'>]+$/g, "")
    .replace(/^file:\/\//, "")
    .replace(/(?:#L?\d+(?:-L?\d+)?|:\d+(?:[-:]\d+)?)$/, "")
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}
