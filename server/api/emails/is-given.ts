/** Clients send null, "" and [] in optional fields, where they mean nothing. */
export function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  return !(Array.isArray(value) && value.length === 0);
}
