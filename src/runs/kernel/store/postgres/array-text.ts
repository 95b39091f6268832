const special = /["\\]/;
const everySpecial = /["\\]/g;

/** Formats a text column as a PostgreSQL array. The client's own formatting, a regular expression per value, was a fifth of a drain. */
export function texts<T>(rows: readonly T[], of: (row: T) => string | null): string {
  let array = "";
  for (const row of rows) {
    const value = of(row);
    if (array !== "") array += ",";
    if (value === null) array += "NULL";
    else array += special.test(value) ? `"${value.replace(everySpecial, "\\$&")}"` : `"${value}"`;
  }
  return `{${array}}`;
}

/** Formats a column of numbers or booleans. */
export function values<T>(rows: readonly T[], of: (row: T) => number | boolean | null): string {
  let array = "";
  for (const row of rows) {
    if (array !== "") array += ",";
    array += of(row) ?? "NULL";
  }
  return `{${array}}`;
}

/** A single value where all rows have the same one, which the statement repeats: most items of one request are alike. */
export function alike<T, V>(
  rows: readonly T[],
  of: (row: T) => V,
  column: (rows: readonly T[], of: (row: T) => V) => string,
): string {
  const [first] = rows;
  if (first === undefined) return column(rows, of);
  const value = of(first);
  return column(rows.every((row) => of(row) === value) ? [first] : rows, of);
}

/** An empty array where no row has a value. */
export function ifAny<T, V>(
  rows: readonly T[],
  of: (row: T) => V | null,
  column: (rows: readonly T[], of: (row: T) => V | null) => string,
): string {
  return column(rows.every((row) => of(row) === null) ? [] : rows, of);
}
