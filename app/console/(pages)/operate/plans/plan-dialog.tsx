import { Anchor, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";

import { OPERATED } from "#app/console/(pages)/operate/companies/queries.ts";
import {
  formatCompanies,
  LIMIT_LABELS,
  LimitFields,
  type LimitTexts,
  limitTexts,
  NO_LIMITS,
  parseLimits,
  type PlanLimits,
} from "#app/console/(pages)/operate/plan-limits.tsx";
import type { AnswerOf } from "#app/console/console-client.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { isSame } from "#app/console/ui/form/drafts.ts";
import { FormDialog } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

export type PlanRow = AnswerOf<"plans.list">["data"][number];

type PlanPreview = AnswerOf<"plans.preview">;

type PlanFields = PlanLimits & { name: string };

/** Saves an unused plan directly. For others, the first submit loads the preview and the second one saves. */
function usePlanForm(plan: PlanRow | null, onClose: () => void) {
  const params = { id: plan?.id ?? "" };
  const creation = useChange("plans.create", { invalidates: OPERATED });
  const update = useChange("plans.update", { invalidates: OPERATED, waits: true });
  const previewing = useChange("plans.preview");
  const [shown, setShown] = useState<{ fields: PlanFields; preview: PlanPreview } | null>(null);
  const form = useForm({
    initialValues: initialTexts(plan),
    labels: { name: "Name", ...LIMIT_LABELS },
    checks: { name: required },
    draft: `plan-${plan?.id ?? "new"}`,
    async send(values) {
      const fields = planFields(values);
      if (isInUse(plan) && !isSame(fields, shown?.fields))
        return { fields, preview: await previewing.run({ params, body: fields }) };
      await (plan ? update.run({ params, body: fields }) : creation.run({ body: fields }));
      return null;
    },
    stored: (previewed, values) => (previewed ? null : values),
    onDone(previewed, { name }) {
      setShown(previewed);
      if (previewed) return;
      onClose();
      toast(`Plan ${name} ${plan ? "saved" : "created"}`);
    },
  });
  // A preview is about the values that it was made with.
  const isShown = shown !== null && isSame(shown.fields, planFields(form.values));
  return { form, preview: isShown ? shown.preview : undefined };
}

/** Creates or edits a plan. Before saving an edit, it shows which companies it affects. */
export function PlanDialog({ plan: row, onClose }: { plan: PlanRow | "new"; onClose: () => void }) {
  const plan = row === "new" ? null : row;
  const { form, preview } = usePlanForm(plan, onClose);
  return (
    <FormDialog
      form={form}
      title={plan ? `Edit plan ${plan.name}` : "Create plan"}
      submit={submitLabel(plan, preview)}
      onClose={onClose}
    >
      <TextInput {...form.field("name")} autoComplete="off" data-autofocus maw={360} />
      <LimitFields field={form.field} />
      {preview && <PlanChangePreview preview={preview} />}
    </FormDialog>
  );
}

const initialTexts = (plan: PlanRow | null) => ({
  name: plan?.name ?? "",
  ...limitTexts(plan ?? NO_LIMITS),
});

const isInUse = (plan: PlanRow | null) => plan !== null && plan.companies > 0;

const planFields = ({ name, ...limits }: LimitTexts & { name: string }): PlanFields => ({
  name: name.trim(),
  ...parseLimits(limits),
});

function submitLabel(plan: PlanRow | null, preview: PlanPreview | undefined): string {
  if (!plan) return "Create plan";
  if (preview) return `Save plan for ${formatCompanies(preview.companies)}`;
  return isInUse(plan) ? "Review changes" : "Save plan";
}

/** The companies that a change to a plan affects, and those over the new limits. */
function PlanChangePreview({ preview }: { preview: PlanPreview }) {
  const { companies, over, overCount } = preview;
  return (
    <div role="status">
      <Text fw={600}>{formatCompanies(companies)} will get the new limits immediately.</Text>
      {overCount > 0 && (
        <>
          <Text mt="xs">
            {formatCompanies(overCount)} {overCount === 1 ? "is" : "are"} over the new limits: they
            keep what they have but can’t create more.
          </Text>
          <Text component="ul" m={0} mt={4} pl="md" style={{ listStyle: "revert" }}>
            {over.map(({ id, name, exceeded }) => (
              <li key={id}>
                <Anchor component={Link} href={`/console/operate/companies/${id}`}>
                  {name}
                </Anchor>
                : {exceeded.join(", ")}
              </li>
            ))}
            {overCount > over.length && <li>and {overCount - over.length} more</li>}
          </Text>
        </>
      )}
    </div>
  );
}
