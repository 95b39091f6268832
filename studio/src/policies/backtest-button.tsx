/** Starts a backtest of a rule; the accessible name says of which one. */
export function BacktestButton({ what, onBacktest }: { readonly what: string; readonly onBacktest: () => void }) {
  return (
    <button type="button" className="link" aria-label={`Backtest ${what}`} onClick={onBacktest}>
      Backtest
    </button>
  );
}
