import { useMe } from "#app/console/rights.ts";

/** Why nothing else is open. */
export function Due() {
  const company = useMe()?.company.name;
  return `${company ?? "Your company"} asks everybody for a second factor beside the password. The console opens as soon as you have one.`;
}
