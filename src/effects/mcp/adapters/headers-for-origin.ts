/**
 * `fetch` that adds headers which may hold credentials: they go to the origin that was declared and to no other, also not
 * to the authorization server that it names. What a request itself says counts before them.
 */
export function headersForOrigin(
  address: URL,
  headers: Readonly<Record<string, string>>,
  send: typeof fetch,
): typeof fetch {
  return (input, init) => {
    const target = new URL(input instanceof Request ? input.url : input);
    if (target.origin !== address.origin) return send(input, init);
    const all = new Headers(headers);
    for (const [name, value] of new Headers(init?.headers)) all.set(name, value);
    return send(input, { ...init, headers: all });
  };
}
