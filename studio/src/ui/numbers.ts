const whole = new Intl.NumberFormat("en");

export const count = (value: number): string => whole.format(value);

export const usd = (value: number): string => `$${value.toFixed(value !== 0 && value < 0.01 ? 4 : 2)}`;

export const bytes = (value: number): string =>
  value < 1024
    ? `${value} B`
    : value < 1024 ** 2
      ? `${(value / 1024).toFixed(1)} KiB`
      : `${(value / 1024 ** 2).toFixed(1)} MiB`;
