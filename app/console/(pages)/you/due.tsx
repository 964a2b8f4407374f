import { useQuery } from "@tanstack/react-query";

import { meQuery } from "#app/console/session-queries.ts";

/** Why nothing else is open. */
export function Due() {
  const company = useQuery(meQuery).data?.company.name;
  return `${company ?? "Your company"} asks everybody for a second factor beside the password. The console opens as soon as you have one.`;
}
