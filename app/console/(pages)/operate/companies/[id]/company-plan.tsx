import { NativeSelect, Text } from "@mantine/core";
import { useState } from "react";

import {
  type CompanyChange,
  type CompanyDetail,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import {
  formatLimitOf,
  LIMIT_FIELDS,
  LIMIT_LABELS,
  LimitFields,
  limitTexts,
  parseLimits,
  type PlanLimits,
} from "#app/console/(pages)/operate/plan-limits.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { toast } from "#app/console/ui/actions.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount, formatMegabytes, pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";

const CUSTOM = "own";

type Asked = { change: CompanyChange; effects: string[] };

/** Before saving, a dialog lists the limits that change and what the company already exceeds. */
export function CompanyPlan({ company }: { company: CompanyDetail }) {
  const plans = useRead("plans.list", {});
  const update = useUpdateCompany();
  const [asked, setAsked] = useState<Asked | null>(null);
  const all = plans.data?.data ?? [];
  const form = useForm({
    initialValues: { planId: company.plan?.id ?? CUSTOM, ...limitTexts(company.figures) },
    labels: { planId: "Plan", ...LIMIT_LABELS },
    draft: `company-plan-${company.id}`,
    async send({ planId, ...texts }): Promise<Asked | null> {
      const own = planId === CUSTOM ? parseLimits(texts) : undefined;
      const change: CompanyChange = own ? { figures: own } : { planId };
      const limits = own ?? all.find(({ id }) => id === planId);
      // The server explains invalid limits, at their fields.
      const isInvalid = limits && Object.values(limits).includes(-1);
      const effects = limits && !isInvalid ? planEffects(company, limits) : [];
      if (effects.length > 0) return { change, effects };
      await update.run({ params: { id: company.id }, body: change });
      return null;
    },
    within: "figures",
    followsServer: true,
    stored: (asked, values) => (asked ? null : values),
    onDone(asked) {
      setAsked(asked);
      if (!asked) toast("Plan saved");
    },
  });
  const choice = form.values.planId;
  const chosen = all.find(({ id }) => id === choice);

  async function save({ change }: Asked) {
    await update.run({ params: { id: company.id }, body: change });
    form.markSaved();
    toast("Plan saved");
  }

  return (
    <Panel title="Plan">
      <Form form={form} gap="lg" submit="Save plan">
        <NativeSelect
          {...form.field("planId")}
          description="The company gets the plan’s limits, including later changes to the plan. A company over its limits keeps what it has but can’t create more."
          size="md"
          maw={360}
          data={[...planChoices(company, all), { value: CUSTOM, label: "Custom limits" }]}
        />
        {choice === CUSTOM ? (
          <LimitFields field={form.field} />
        ) : (
          chosen && (
            <Text c="dimmed">
              {formatLimitOf(chosen.monthlyAllowance, "recipient")} per month,{" "}
              {formatLimitOf(chosen.domainsMax, "domain")},{" "}
              {formatLimitOf(chosen.mailboxesMax, "mailbox", "mailboxes")}.
            </Text>
          )
        )}
      </Form>
      {asked && (
        <ConfirmDialog
          isOpen
          onClose={() => setAsked(null)}
          title={`Change the limits of ${company.name}?`}
          confirmLabel="Save plan"
          isHarmless
          onConfirm={() => save(asked)}
        >
          <Text component="ul" m={0} pl="md" style={{ listStyle: "revert" }}>
            {asked.effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </Text>
          <Text mt="xs">
            This affects {pluralize(company.admins, "admin")}
            {company.mailboxes > 0 &&
              ` and ${pluralize(company.mailboxes, "mailbox", "mailboxes")}`}{" "}
            immediately.
          </Text>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

/** Offers the company's own plan until all plans are loaded. */
const planChoices = ({ plan }: CompanyDetail, all: { id: string; name: string }[]) =>
  (all.length === 0 && plan ? [plan] : all).map(({ id, name }) => ({ value: id, label: name }));

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
