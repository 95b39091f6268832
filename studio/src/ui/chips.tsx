/** One of a few: the chosen one is pressed. */
export function Chips<Name extends string>(props: {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: string;
  readonly onChoose: (name: Name) => void;
}) {
  return (
    <span className="chips" role="group" aria-label={props.label}>
      {props.names.map((name) => (
        <button
          key={name}
          type="button"
          className="chip"
          data-name={name}
          aria-pressed={name === props.chosen}
          onClick={() => props.onChoose(name)}
        >
          {name}
        </button>
      ))}
    </span>
  );
}
