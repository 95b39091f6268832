/** How much of a limit is used; nothing where there is no limit. */
export function Meter({ share, label }: { readonly share: number | null; readonly label: string }) {
  if (share === null) return null;
  return (
    <span
      className={`meter${share > 0.9 ? " high" : ""}`}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${share > 0 ? Math.max(1, Math.min(100, share * 100)) : 0}%` }} />
    </span>
  );
}
