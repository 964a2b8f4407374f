import type { CompanyDetail } from "#app/console/(pages)/operate/companies/queries.ts";
import { LIMIT_FIELDS, type PlanLimits } from "#app/console/(pages)/operate/plan-limits.ts";
import { formatCount, formatMegabytes, pluralize } from "#app/console/ui/format.ts";

type Affected = Pick<CompanyDetail, "figures" | "monthRecipients" | "domains" | "mailboxes">;

/** What new limits change for a company, one sentence or two for each changed limit. */
export const planEffects = (company: Affected, limits: PlanLimits): string[] =>
  LIMIT_FIELDS.flatMap(({ name, label }) => {
    const [before, after] = [company.figures[name], limits[name]];
    if (before === after) return [];
    const isSize = name === "quotaMbMax" || name === "defaultQuotaMb";
    const format = (limit: number | null) =>
      limit === null ? "unlimited" : isSize ? formatMegabytes(limit) : formatCount(limit);
    const change = `${label.replace(" in MB", "")}: ${format(before)} to ${format(after)}.`;
    const consequence = consequenceOf(company, name, after ?? Infinity);
    return [consequence === null ? change : `${change} ${consequence}`];
  });

function consequenceOf(
  { monthRecipients: recipients, domains, mailboxes, figures }: Affected,
  name: keyof PlanLimits,
  limit: number,
): string | null {
  switch (name) {
    case "monthlyAllowance":
      return recipients < limit
        ? null
        : `The company has sent to ${pluralize(recipients, "recipient")} this month, so it can’t send more emails through the API until next month.`;
    case "domainsMax":
      return keeps(domains, limit, "domain");
    case "mailboxesMax":
      return keeps(mailboxes, limit, "mailbox", "mailboxes");
    case "quotaMbMax":
      return limit < (figures.quotaMbMax ?? Infinity)
        ? "Mailboxes with a higher limit keep it until someone changes or restores them."
        : null;
    case "defaultQuotaMb":
      return null;
  }
}

function keeps(used: number, limit: number, noun: string, plural?: string): string | null {
  if (used < limit || used === 0) return null;
  return `The company has ${pluralize(used, noun, plural)}: it keeps what it has but can’t create more.`;
}
