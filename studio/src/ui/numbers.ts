const whole = new Intl.NumberFormat("en");

export const count = (value: number): string => whole.format(value);

export const usd = (value: number): string => `$${value.toFixed(value !== 0 && value < 0.01 ? 4 : 2)}`;
