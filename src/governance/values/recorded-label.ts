/** A label as an event or a question has it. */
export interface RecordedLabel {
  readonly at: string;
  readonly span?: readonly [number, number] | number[];
  readonly sink: string;
  readonly kind?: string;
  readonly from: readonly string[];
  readonly ref?: readonly string[];
}
