/** The head of a table. A name that begins with # is over numbers; one in brackets is only for screen readers. */
export function Columns({ names }: { readonly names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) =>
          name.startsWith("#") ? (
            <th key={name} className="number">
              {name.slice(1)}
            </th>
          ) : name.startsWith("(") ? (
            <th key={name}>
              <span className="unseen">{name.slice(1, -1)}</span>
            </th>
          ) : (
            <th key={name}>{name}</th>
          ),
        )}
      </tr>
    </thead>
  );
}
