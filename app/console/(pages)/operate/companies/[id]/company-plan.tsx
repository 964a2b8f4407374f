"use client";

import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import {
  type CompanyChange,
  type CompanyDetail,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import {
  LimitFields,
  readLimits,
  hasLimitError,
} from "#app/console/(pages)/operate/limit-fields.tsx";
import { formatLimitOf } from "#app/console/(pages)/operate/plan-limits.ts";
import { plansQuery } from "#app/console/(pages)/operate/plans/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { planEffects } from "./plan-effects.ts";

const CUSTOM = "own";

type Asked = { change: CompanyChange; effects: string[] };

/** Before saving, a dialog lists the limits that change and what the company already exceeds. */
export function CompanyPlan({ company }: { company: CompanyDetail }) {
  const plans = useQuery(plansQuery);
  const update = useUpdateCompany(company.id);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [choice, setChoice] = useState(company.plan?.id ?? CUSTOM);
  const all = plans.data?.data ?? [];
  const chosen = all.find(({ id }) => id === choice);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const plan = formText(form, "plan");
    const change = plan === CUSTOM ? { figures: readLimits(form) } : { plan_id: plan };
    const limits = change.figures ?? chosen;
    // The server explains invalid limits, at their fields.
    const isInvalid = limits && Object.values(limits).includes(-1);
    const effects = limits && !isInvalid ? planEffects(company, limits) : [];
    if (effects.length > 0) setAsked({ change, effects });
    else update.mutate(change, { onSuccess: () => toast("Plan saved") });
  }

  async function save({ change }: Asked) {
    await update.mutateAsync(change);
    toast("Plan saved");
  }

  return (
    <Panel title="Plan">
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="lg">
          <NativeSelect
            name="plan"
            label="Plan"
            description="The company gets the plan’s limits, including later changes to the plan. A company over its limits keeps what it has but can’t create more."
            value={choice}
            onChange={(event) => setChoice(event.currentTarget.value)}
            size="md"
            maw={360}
            data={[
              ...all.map(({ id, name }) => ({ value: id, label: name })),
              { value: CUSTOM, label: "Custom limits" },
            ]}
          />
          {choice === CUSTOM ? (
            <LimitFields initial={company.figures} error={update.error} />
          ) : (
            chosen && (
              <Text c="dimmed">
                {formatLimitOf(chosen.monthly_allowance, "recipient")} per month,{" "}
                {formatLimitOf(chosen.domains_max, "domain")},{" "}
                {formatLimitOf(chosen.mailboxes_max, "mailbox", "mailboxes")}.
              </Text>
            )
          )}
          {!hasLimitError(update.error) && <FormError error={update.error} />}
          <Group gap="xs">
            <Button type="submit" aria-busy={update.isPending}>
              Save plan
            </Button>
          </Group>
        </Stack>
      </form>
      {asked && (
        <ConfirmDialog
          isOpen
          onClose={() => setAsked(null)}
          title={`Change the limits of ${company.name}?`}
          confirmLabel="Save plan"
          isHarmless
          onConfirm={() => save(asked)}
        >
          <Text component="ul" m={0} pl="md">
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
