/** Asks a rule again about the recorded past; the name that is heard says which. */
export function BacktestButton({ what, onBacktest }: { readonly what: string; readonly onBacktest: () => void }) {
  return (
    <button type="button" className="link" aria-label={`Backtest ${what}`} onClick={onBacktest}>
      Backtest
    </button>
  );
}
