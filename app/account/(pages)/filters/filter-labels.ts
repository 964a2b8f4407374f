import type { Filter } from "#app/account/rule-queries.ts";

type Condition = Filter["conditions"][number];

export const FIELD_LABELS: Record<Condition["field"], string> = {
  from: "Sender",
  to: "Recipient (To or Cc)",
  subject: "Subject",
};

export const TEST_LABELS: Record<Condition["test"], string> = {
  contains: "contains",
  is: "is exactly",
};

export const ACTION_LABELS: Record<Filter["action"]["kind"], string> = {
  file: "Move to a folder",
  flag: "Star",
  read: "Mark as read",
  discard: "Delete",
};

/** "Sender contains “shop” and subject is exactly “invoice”" */
export function describeConditions({ match, conditions }: Filter): string {
  const [first = "", ...rest] = conditions.map(
    ({ field, test, value }) => `${FIELD_LABELS[field]} ${TEST_LABELS[test]} “${value}”`,
  );
  const others = rest.map((words) => words[0]!.toLowerCase() + words.slice(1));
  return [first, ...others].join(match === "all" ? " and " : " or ");
}

export function describeAction(action: Filter["action"]): string {
  return action.kind === "file" ? `Move to ${action.folder}` : ACTION_LABELS[action.kind];
}
