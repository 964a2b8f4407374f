/** Whether an optional field has a value: clients send null, "" and [] for empty ones. */
export function hasValue(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !(Array.isArray(value) && value.length === 0);
}
