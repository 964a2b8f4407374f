import type { Change } from "#app/console/ui/form/form.tsx";
import { formatCount, pluralize } from "#app/console/ui/format.ts";

import { formatPolicyValue, POLICIES, type PolicyName, type PolicyValue } from "./policy-labels.ts";
import type { UnitPolicy } from "./queries.ts";

type Reach = Pick<UnitPolicy, "name" | "value" | "own" | "above" | "appliesTo" | "usedThisWeek">;

/** What each policy allows, in a sentence. */
const THINGS: Partial<Record<PolicyName, string>> = {
  imapAllowed: "IMAP",
  pop3Allowed: "POP3",
  submissionAllowed: "sending from mail apps",
  outsideAllowed: "sending outside your company",
  appPasswordsAllowed: "app passwords",
};

/**
 * What saving the chosen values would do, one sentence for each policy that differs from its own value.
 *
 * @param chosen by policy; null to inherit
 * @param companyQuotaMb the company's default size of new mailboxes
 */
export function policyChanges(
  policies: Reach[],
  chosen: Partial<Record<PolicyName, PolicyValue>>,
  companyQuotaMb: number,
): Change[] {
  return policies.flatMap((policy) => {
    const value = chosen[policy.name];
    if (value === undefined || value === policy.own) return [];
    return [{ name: policy.name, text: describe(policy, value, companyQuotaMb) }];
  });
}

function describe(policy: Reach, value: PolicyValue, companyQuotaMb: number): string {
  const { name, appliesTo: count, usedThisWeek: used } = policy;
  const result = value ?? policy.above.value;
  const mailboxes = pluralize(count, "mailbox", "mailboxes");
  const shown = formatPolicyValue(name, result, companyQuotaMb);
  // Not a number; the server says so.
  if (result === 0) return `Change ${POLICIES[name].label.toLowerCase()}`;
  if (result === policy.value)
    return `${POLICIES[name].label} stays the same for ${mailboxes} (${shown.toLowerCase()})`;
  if (name === "defaultQuotaMb") return `Give new mailboxes ${shown}`;
  if (name === "passwordLengthMin") return `Require passwords of ${shown} for ${mailboxes}`;
  if (typeof result !== "boolean")
    return `Set ${POLICIES[name].label.toLowerCase()} to ${shown.toLowerCase()} for ${mailboxes}`;
  const act = `${result ? "Allow" : "Block"} ${THINGS[name]} for ${mailboxes}`;
  return result || used === null ? act : `${act}, ${describeUse(used, count)}`;
}

function describeUse(used: number, count: number): string {
  if (used === 0) return "none used it this week";
  return `${used === count && count > 1 ? "all" : formatCount(used)} used it this week`;
}
